"""Lock files: one process at a time works in a folder."""

from __future__ import annotations

import fcntl
import os
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from porter.base.progress import Say, to_stderr

PATIENCE = 2.0  # seconds before a message; checking a finished build holds the lock for less
_POLL = 0.05  # seconds
_SHOWN = 200  # maximum characters of a command in a message

# A forked child shares the lock until it closes the file. It closes the file at once; otherwise a
# worker that outlives its parent would keep the lock.
_open: set[int] = set()


def _let_go() -> None:
    for descriptor in _open:
        os.close(descriptor)
    _open.clear()


os.register_at_fork(after_in_child=_let_go)


@contextmanager
def locked(path: Path, say: Say = to_stderr) -> Iterator[None]:
    """Hold the lock file `path`; the kernel releases it however this process ends.

    The file names the process that holds the lock.

    Args:
        path: The lock file.
        say: Receives a message if this process has to wait.

    Raises:
        OSError: The file cannot be written.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    _open.add(descriptor)
    try:
        _wait(descriptor, path, say)
        _sign(descriptor, f"{os.getpid()} {_command()}\n")
        try:
            yield
        finally:
            if descriptor in _open:
                _sign(descriptor, "")
    finally:
        if descriptor in _open:  # not in a forked child, which has closed it
            _open.discard(descriptor)
            os.close(descriptor)


def _wait(descriptor: int, path: Path, say: Say) -> None:
    until = time.monotonic() + PATIENCE
    while not _taken(descriptor):
        if time.monotonic() > until:
            say(f"waiting for {holder(path)}, which works in {path.parent}")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            return
        time.sleep(_POLL)


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def holder(path: Path) -> str:
    """Return the process named in the lock file `path`, with its command."""
    try:
        number, _, command = path.read_text(errors="replace").strip().partition(" ")
    except OSError:
        number = command = ""
    return f"process {number} ({command})" if number.isdigit() else "another process"


def _sign(descriptor: int, text: str) -> None:
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, text.encode("utf-8", "replace"), 0)


def _command() -> str:
    argv = list(sys.argv) or ["python"]
    if argv[0].endswith("__main__.py"):
        argv[0] = "porter"
    shown = " ".join(shlex.join(argv).split())
    return shown if len(shown) <= _SHOWN else shown[:_SHOWN] + " ..."
