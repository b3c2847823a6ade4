"""The freeze stage on the shared build's sources: its unit, its errors, and what it repeats."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from porter.errors import UsageError
from porter.freeze import compiler
from porter.freeze.mpy import mpy_of
from tests.freeze.conftest import FILES, Freeze


def test_equal_modules_give_equal_text(frozen: Freeze, manifest: Path, tmp_path: Path) -> None:
    one = frozen(manifest, tmp_path / "one")
    two = frozen(manifest, tmp_path / "two")
    (first,), (second,) = one.texts, two.texts
    text = first.path.read_text()
    assert text == second.path.read_text()
    assert str(tmp_path) not in text
    assert one.modules == two.modules
    assert [module.name for module in one.modules] == sorted(FILES.keys() - {"manifest.py"})
    (part,) = (module for module in one.modules if module.name == "tool/part.py")
    assert part.sha256 == hashlib.sha256(FILES[part.name].encode()).hexdigest()
    assert part.source == str(manifest.parent / "tool" / "part.py")


def test_an_unchanged_module_is_not_compiled_again(
    frozen: Freeze, manifest: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled: list[str] = []

    def counted(code: bytes, name: str) -> bytes:
        compiled.append(name)
        return mpy_of(code, name)

    monkeypatch.setattr(compiler, "mpy_of", counted)
    module = manifest.parent / "tool" / "other.py"
    module.write_text(f"MARK = {str(tmp_path)!r}\n")  # a text that no earlier run has compiled
    frozen(manifest, tmp_path / "one")
    assert "tool/other.py" in compiled
    compiled.clear()
    frozen(manifest, tmp_path / "two")
    assert compiled == []
    module.write_text(f"MARK = {str(tmp_path)!r} * 2\n")
    frozen(manifest, tmp_path / "three")
    assert compiled == ["tool/other.py"]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("x = 1\n\ndef f(:\n    pass\n", 3, "SyntaxError: invalid syntax"),
        ("def f():\n    return\n\n\nreturn 1\n", 5, "SyntaxError: 'return' outside function"),
        ("if x:\n  y\n z\n", 2, "IndentationError: unindent doesn't match"),
        ("x = 0b2\n", 1, "SyntaxError: "),
        ("x = 1\0\n", 1, "SyntaxError: "),
    ],
)
def test_a_syntax_error(
    frozen: Freeze, manifest: Path, tmp_path: Path, text: str, line: int, said: str
) -> None:
    module = manifest.parent / "tool" / "other.py"
    module.write_text(text)
    with pytest.raises(UsageError) as raised:
        frozen(manifest, tmp_path / "build")
    assert raised.value.message.startswith(f"{module}:{line}: {said}")
    assert len(raised.value.message.splitlines()) == 1


def test_no_module_at_all(frozen: Freeze, manifest: Path, tmp_path: Path) -> None:
    manifest.write_text("")
    nothing = frozen(manifest, tmp_path / "build")
    assert nothing.texts == nothing.modules == ()
    assert not (tmp_path / "build" / "frozen").exists()
