"""Processes that end when their parent ends, whatever ends it."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager

_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_prctl: Callable[[int, int], int] | None = (
    ctypes.CDLL(None).prctl if sys.platform == "linux" else None
)


def tie(sent: int = signal.SIGTERM) -> None:
    """Have the system send this process `sent` when its parent dies. Does nothing but on Linux.

    Fit for `preexec_fn`: it makes one system call.
    """
    if _prctl is not None:
        _prctl(_PR_SET_PDEATHSIG, int(sent))


@contextmanager
def undisturbed() -> Iterator[None]:
    """Hold Ctrl-C back until the block ends: Python drops what it raises within a fork."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def begin_worker() -> None:
    """The initializer of a worker: it ends with its parent, which alone handles Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tie(signal.SIGKILL)
    parent = multiprocessing.parent_process()
    if parent is not None and not parent.is_alive():  # it died before the tie
        os._exit(1)


def kill_workers(pool: ProcessPoolExecutor) -> None:
    """End `pool`'s processes in the middle of what they do; `shutdown` then has nothing to wait
    for."""
    # Python 3.14 has kill_workers() for it.
    for process in list((getattr(pool, "_processes", None) or {}).values()):
        process.kill()
    if sys.version_info < (3, 11, 5):
        # The pool waits for the thread that writes calls into a pipe. It would write for ever, for
        # this process has the other end too; later Pythons close that themselves.
        queue = getattr(pool, "_call_queue", None)
        if queue is not None:
            queue._reader.close()
