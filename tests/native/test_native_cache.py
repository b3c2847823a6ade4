"""The cache of native code: hits, repair of damaged entries, and operation without a cache."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from porter import InterpreterArray
from porter.base.paths import natives_dir
from porter.errors import BuildFailed
from porter.native import cache
from porter.native.host import HostTarget
from porter.native.module import NativeModule

SOURCE = "s = 0\nfor i in range(50):\n    s += i * 3  # beside the C++\nprint(s)\n"
Compile = Callable[..., NativeModule]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PORTER_HOME", str(tmp_path))
    monkeypatch.setattr(cache, "natives_dir", natives_dir)
    return tmp_path / "native"


@pytest.fixture
def compiled(two: InterpreterArray, home: Path) -> Compile:
    """Return a function that compiles, runs, and returns the report of the compilation."""

    def compiled(source: str = SOURCE) -> NativeModule:
        code = two.compile(source, native=True)
        assert code.native is not None
        assert two.exec(code).stdout[0] == b"3675\n"
        return code.native

    return compiled


def folders(home: Path) -> list[Path]:
    return [path for path in home.iterdir() if path.is_dir()]


def test_it_is_found_again(compiled: Compile, home: Path) -> None:
    first, second = compiled(), compiled()
    assert not first.cached and second.cached
    assert set(first.seconds) == {"profile", "translate", "compile", "load"}
    assert set(second.seconds) == {"load"}
    assert first.path == second.path and first.path is not None
    assert "s += i * 3  # beside the C++" in first.path.read_text()
    assert compiled(SOURCE.replace("(50)", "(25 * 2)")).cached  # the same bytecode
    assert not compiled(SOURCE.replace("i * 3", "3 * i")).cached
    assert len(folders(home)) == 2


@pytest.mark.parametrize("name", ["module.so", "module.json", "module.cpp"])
@pytest.mark.parametrize("how", ["cut", "changed", "gone"])
def test_what_is_damaged_is_made_again(
    compiled: Compile, home: Path, name: str, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled()
    (entry,) = folders(home)
    path = entry / name
    whole = path.read_bytes()
    path.unlink()
    if how != "gone":
        path.write_bytes(whole[: len(whole) // 2] if how == "cut" else b"x" + whole[1:])
    again = compiled()
    assert again.cached == (name == "module.cpp" and how != "gone")  # only people read module.cpp
    assert compiled().cached


@pytest.mark.parametrize("place", ["file/below", "/proc/nowhere"])
def test_without_a_folder_to_write_to(
    two: InterpreterArray, tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("PORTER_HOME", str(tmp_path / place))
    monkeypatch.setattr(cache, "natives_dir", natives_dir)
    for _ in range(2):
        code = two.compile(SOURCE, native=True)
        assert code.native is not None and code.native.path is None and not code.native.cached
        assert "beside the C++" in code.native.text
        assert two.exec(code).stdout[0] == b"3675\n"


def test_a_full_disk(compiled: Compile, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build = HostTarget.build

    def full(self: HostTarget, source: Path, made: Path) -> None:
        if made.is_relative_to(home):
            made.write_bytes(b"half")
            raise BuildFailed(f"g++: {os.strerror(errno.ENOSPC)}")
        build(self, source, made)

    monkeypatch.setattr(HostTarget, "build", full)
    assert compiled().path is None
    assert not folders(home)


def test_what_ends_in_the_middle_leaves_nothing(
    two: InterpreterArray, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for error in (KeyboardInterrupt(), BuildFailed("g++ refuses it")):

        def ended(self: HostTarget, source: Path, made: Path) -> None:
            made.write_bytes(b"half")
            raise error  # noqa: B023

        monkeypatch.setattr(HostTarget, "build", ended)
        with pytest.raises(type(error)):
            two.compile(SOURCE, native=True)
        assert not folders(home)
    monkeypatch.undo()
    assert two.compile(SOURCE, native=True).native is not None


def test_it_does_not_grow_without_end(
    compiled: Compile, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = compiled()
    assert old.path is not None
    for name in old.path.parent.iterdir():
        os.utime(name, (1, 1))
    used = compiled(SOURCE.replace("i * 3", "3 * i"))
    assert used.path is not None
    size = sum(path.stat().st_size for path in used.path.parent.iterdir())
    monkeypatch.setattr(cache, "MOST_BYTES", 2 * size + size // 2)
    new = compiled(SOURCE.replace("i * 3", "(i + i + i)"))
    assert new.path is not None
    assert sorted(folders(home)) == sorted([used.path.parent, new.path.parent])


def test_threads_at_once(two: InterpreterArray, home: Path) -> None:
    made: list[NativeModule | None] = []
    each = lambda: made.append(two.compile(SOURCE, native=True).native)  # noqa: E731
    threads = [threading.Thread(target=each) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(one.cached for one in made if one is not None) == [False, True, True]


ELSEWHERE = """\
import os, sys
from porter import InterpreterArray
with InterpreterArray(2, build=sys.argv[1], target="host") as array:
    code = array.compile(sys.argv[2], native=True)
    if child := os.fork():
        assert os.waitpid(child, 0)[1] == 0
    # A forked process may not use the device of its parent.
    where = {"device": array.device} if child else {"build": sys.argv[1], "target": "host"}
    with InterpreterArray(1, **where) as own:
        codes = [own.compile(sys.argv[2] + end, native=True) for end in ("", "#")]
        for each in (code, *codes) if child else codes:
            assert own.exec(each).stdout[0] == b"3675\\n"
    if not child:
        os._exit(0)
"""


def test_processes_at_once_and_their_children(two: InterpreterArray, home: Path) -> None:
    command = [sys.executable, "-c", ELSEWHERE, str(two.device.built.folder), SOURCE]
    running = [subprocess.Popen(command) for _ in range(2)]
    assert [process.wait(60) for process in running] == [0, 0]
    assert len(folders(home)) == 1
