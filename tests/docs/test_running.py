"""The reader of documents detects blocks that do not work as shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.errors import UsageError

from .blocks import ROOT, Block
from .running import Reader, copy, interpreters, scaled

SHOWN = "----- 349526x -----\n0\n----- 349525x -----\n1\n----- 349525x -----\n2\n1048576\n"


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    (tmp_path / "copy").mkdir()
    return Reader(tmp_path / "copy", tmp_path / "home", gpu=False)


def block(language: str, source: str, output: str | None = None, **marks: str) -> Block:
    return Block(ROOT / "page.md", 1, language, source, marks, output)


def test_what_is_shown(reader: Reader) -> None:
    reader.run(block("sh", "A=1\necho $A > a\n"))
    reader.run(block("sh", 'echo "$A $(cat a)"\n', "1 1\n"))
    reader.run(block("python", "print('took', 0.25, 's')\n", "took ... s\n"))
    reader.run(block("text", "hello\n", file="b"))
    reader.run(block("sh", "cat b\n", "hello\n"))
    reader.run(block("toml", 'heap = "16K"\n'))


@pytest.mark.parametrize(
    ("language", "source", "output"),
    [
        ("sh", "false\ntrue\n", None),
        ("sh", "false | cat\n", None),
        ("sh", "porter no-such-command\n", None),
        ("sh", "echo a\n", "b\n"),
        ("python", "print(1)\n", "2\n"),
    ],
)
def test_what_is_not(reader: Reader, language: str, source: str, output: str | None) -> None:
    with pytest.raises(AssertionError, match=r"page\.md:1"):
        reader.run(block(language, source, output))


def test_a_wrong_program_or_configuration(reader: Reader) -> None:
    with pytest.raises(NameError):
        reader.run(block("python", "no_such_name\n"))
    with pytest.raises(UsageError):
        reader.run(block("toml", 'heep = "16K"\n'))


def test_porter_is_this_checkouts(reader: Reader) -> None:
    where = "python -c 'import porter; print(porter.__file__)'\n"
    reader.run(block("sh", where, f"{ROOT}/porter/__init__.py\n"))
    (reader.folder / "porter").mkdir()
    (reader.folder / "porter" / "__init__.py").write_text("raise SystemExit('another')\n")
    reader.run(block("sh", "porter --version\n"))


def test_a_million_interpreters_are_scaled() -> None:
    assert interpreters(SHOWN) == 1 << 20
    assert scaled("%image 1024x1024 a.png", 1 << 20, 1024) == "%image 32x32 a.png"
    assert scaled("1048576 21048576", 1 << 20, 1024) == "1024 21048576"


def test_the_copy_is_a_checkout(tmp_path: Path) -> None:
    copy(tmp_path)
    assert (tmp_path / "bootstrap.py").is_file() and (tmp_path / "porter" / "pipeline.py").is_file()
    assert not (tmp_path / "build").exists() and not list(tmp_path.glob("upstream/*/py"))
