"""A lock file is read strictly: an error in it must not look like a missing release."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.errors import PorterError
from porter.sync.lock import Lock, LockEntry, read_lock, write_lock


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "lock.toml"
    assert read_lock(path) == Lock()
    lock = Lock({"1.2": LockEntry("1.2", "sha256:0", 'a "place"\x7f', "v1.2")})
    write_lock(lock, path, header="A lock.")
    assert read_lock(path) == lock


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("release = ", "lock.toml: not a lock file: "),
        ("release = 1", "lock.toml: release: a list of tables is wanted, 1 is not a list"),
        ("[[release]]\nname = '1'", "lock.toml: release 1: lacks 'tree'"),
        ("[[release]]\nname = 1\ntree = ''", "release 1: name: a string is wanted"),
        ("[[release]]\nname = '1'\ntree = ''\ntags = ''", "release 1: unknown key tags"),
        ("[[releases]]\nname = '1'", "unknown table releases"),
    ],
)
def test_a_lock_with_a_slip_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "lock.toml"
    path.write_text(text)
    with pytest.raises(PorterError) as caught:
        read_lock(path)
    assert message in caught.value.message
