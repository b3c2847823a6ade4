"""Names of releases are validated at every input; existing sources stay."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from porter import cli
from porter.config import BuildConfig
from porter.errors import CorruptSource, UsageError
from porter.sync.lock import local_lock_file, read_lock
from porter.sync.store import synced_releases
from porter.sync.synchronization import ensure, sync

from .conftest import MakeTree

BAD = ["../../x", "a/b", "", ".", "..", ".work", "a\nb", "a b", "-x", "x" * 65, "micropython", "é"]


@pytest.mark.parametrize("name", BAD)
def test_bad_name(home: Path, make_tree: MakeTree, name: str) -> None:
    precious = home / "x"
    precious.mkdir()
    (precious / "kept").touch()
    for call in (
        lambda: sync(name, source=make_tree()),
        lambda: sync(name, new=True),
        lambda: ensure(name),
        lambda: BuildConfig(release=name),
    ):
        with pytest.raises(UsageError, match="release: "):
            call()
    assert (precious / "kept").exists()
    assert synced_releases() == [] and not local_lock_file().exists()


def test_path_with_a_line_break_leaves_the_lock_readable(home: Path, make_tree: MakeTree) -> None:
    odd = os.fsdecode(b'odd "\\ \n\x7f\t\xff')
    tree = make_tree(odd)
    sync("mine", source=tree)
    assert "\n" in read_lock(local_lock_file()).get("mine").origin


def test_what_is_no_file_is_told(
    home: Path, make_tree: MakeTree, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = make_tree()
    os.mkfifo(tree / "py/pipe")
    with pytest.raises(CorruptSource, match=r"py/pipe is a FIFO"):
        sync(source=tree)
    (tree / "py/pipe").unlink()
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(home / "s"))
        os.rename(home / "s", tree / "s")
        with pytest.raises(CorruptSource, match="is a socket"):
            sync(source=tree)
    os.mkfifo(home / "pipe")
    for path in (home / "pipe", Path("/dev/null")):
        assert cli.execute(["sync", "--from", str(path)]) == 2
        assert "neither a folder nor an archive" in capsys.readouterr().err
    assert synced_releases() == []
