"""The lists in upstream's makefiles."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.base import paths
from porter.errors import GenerateFailed, ToolMissing
from porter.generate.units import read_makefiles

PORT = paths.templates_dir() / "port"


def test_lists(upstream: Path) -> None:
    lists = read_makefiles(upstream, PORT)
    assert {"py/vm.c", "extmod/modre.c", "lib/littlefs/lfs2.c"} <= set(lists.upstream)
    assert "shared/timeutils/timeutils.c" in lists.upstream
    assert "py/formatfloat.c" not in lists.upstream  # PORT_REPLACES
    assert "lifecycle.c" in lists.port
    assert "-DMICROPY_VFS_LFS2=1" in lists.flags
    assert len(set(lists.upstream)) == len(lists.upstream)
    assert not [path for path in lists.qstr if path.startswith("py/nlr")]


def test_missing_makefile(tmp_path: Path) -> None:
    with pytest.raises(GenerateFailed, match=r"py/mkenv\.mk is missing"):
        read_makefiles(tmp_path, PORT)


def test_listed_file_that_is_not_there(tmp_path: Path) -> None:
    for name in ("py/mkenv.mk", "extmod/extmod.mk"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "py" / "py.mk").write_text("PY_O = $(BUILD)/py/gone.o\n")
    with pytest.raises(GenerateFailed, match=r"py/gone\.c"):
        read_makefiles(tmp_path, PORT)


def test_without_make(upstream: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(ToolMissing, match="make is not installed"):
        read_makefiles(upstream, PORT)
