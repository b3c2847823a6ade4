"""A release gives equal C++, independent of the folders of project and build."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.config import BuildConfig
from porter.generate import Layout, generate
from porter.preprocess import preprocess
from porter.preprocess.preprocess_stage import relative_markers
from porter.rewrite.rewrite_stage import rewrite

SMALL = ("py_pairheap", "py_objcell", "port_stdio", "libc_string")


def cxx(release: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """Return the preprocessed text of all units and the C++ of SMALL, built in `folder`."""
    monkeypatch.setenv("PORTER_HOME", str(folder))
    config = BuildConfig(release=release)
    layout = Layout.of(release, folder / "build")
    units = {d.unit.name: d.path for d in preprocess(layout, generate(config, layout), 2)}
    rewrite({name: units[name] for name in SMALL}, folder / "cxx", jobs=2)
    found = {name: path.read_bytes() for name, path in units.items()}
    return found | {path.name: path.read_bytes() for path in (folder / "cxx").glob("*.cpp")}


@pytest.mark.campaign("releases")
def test_two_folders(
    release: str, upstream: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = (tmp_path / "a", tmp_path / "somewhere" / "else")
    for folder in folders:
        (folder / "upstream").mkdir(parents=True)
        (folder / "upstream" / release).symlink_to(upstream)
    first, second = (cxx(release, folder, monkeypatch) for folder in folders)
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []
    text = first["py_pairheap.cpp"].decode()
    assert f'#line 1 "upstream/{release}/py/pairheap.c"' in text
    assert str(tmp_path) not in text


def test_markers() -> None:
    names = (("/b/src/port/", "port/"), ("/up/1.0/", "upstream/1.0/"))
    text = '# 1 "/up/1.0/py/vm.c" 2\nchar *s = "/up/1.0/py";\n# 7 "/b/src/port/sub/../x.h" 1 3\n'
    assert relative_markers(text, names) == (
        '# 1 "upstream/1.0/py/vm.c" 2\nchar *s = "/up/1.0/py";\n# 7 "port/x.h" 1 3\n'
    )
    assert relative_markers('# 1 "<built-in>"\n', names) == '# 1 "<built-in>"\n'
