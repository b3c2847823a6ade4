"""Files are written atomically: a reader sees the old content or the new one, never a part."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from porter.base.files import replace_folder, replacing, write_changed, write_whole


def test_content_and_mode(tmp_path: Path) -> None:
    path = tmp_path / "one" / "two"
    write_whole(path, "é\n", parents=True)
    assert path.read_bytes() == "é\n".encode()
    os.umask(mask := os.umask(0))
    assert path.stat().st_mode & 0o777 == 0o666 & ~mask
    with pytest.raises(FileNotFoundError) as caught:
        write_whole(tmp_path / "none" / "two", b"")
    assert caught.value.filename == str(tmp_path / "none" / "two")


def test_a_block_that_raises_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_whole(path, b"old")
    with pytest.raises(ZeroDivisionError), replacing(path) as beside:
        beside.write_bytes(b"half")
        assert path.read_bytes() == b"old"
        raise ZeroDivisionError
    with pytest.raises(FileNotFoundError), replacing(path):
        pass  # the body writes nothing
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_a_folder_in_the_way_stays(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path / "folder", b"text")
    assert os.listdir(tmp_path) == ["folder"]


def test_the_first_error_is_the_one_that_is_raised(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError) as caught:
        write_whole(tmp_path / "file" / "two", b"")
    assert caught.value.filename == str(tmp_path / "file" / "two")


def test_threads_that_write_one_file(tmp_path: Path) -> None:
    path, texts = tmp_path / "file", [str(digit) * 50_000 for digit in range(8)]

    def write_often(text: str) -> None:
        for _ in range(20):
            write_whole(path, text)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write_often, texts))
    assert path.read_text() in texts
    assert os.listdir(tmp_path) == ["file"]


def test_what_is_unchanged_keeps_its_times(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_changed(path, "one")
    os.utime(path, (1, 1))
    write_changed(path, b"one")
    assert path.stat().st_mtime == 1
    write_changed(path, "two")
    assert path.stat().st_mtime != 1 and path.read_text() == "two"


def test_a_folder_replaces_another(tmp_path: Path) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    for folder in (new, old):
        folder.mkdir()
        (folder / folder.name).touch()
    replace_folder(new, old)
    assert os.listdir(old) == ["new"] and not new.exists()
