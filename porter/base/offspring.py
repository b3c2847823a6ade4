"""Child processes that end with their parent, however the parent ends."""

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
    """Ask the kernel to send this process `sent` when its parent dies; only on Linux.

    Safe as a `preexec_fn`: it makes one system call.
    """
    if _prctl is not None:
        _prctl(_PR_SET_PDEATHSIG, int(sent))


@contextmanager
def undisturbed() -> Iterator[None]:
    """Block SIGINT inside the block: Python loses a KeyboardInterrupt raised during a fork."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def begin_worker() -> None:
    """Initialize a worker of a pool: it ends with its parent, which alone handles Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tie(signal.SIGKILL)
    parent = multiprocessing.parent_process()
    if parent is not None and not parent.is_alive():  # the parent died before `tie`
        os._exit(1)


def kill_workers(pool: ProcessPoolExecutor) -> None:
    """Kill the processes of `pool` at once, so that `shutdown` does not wait for them."""
    # Python 3.14 has kill_workers().
    for process in list((getattr(pool, "_processes", None) or {}).values()):
        process.kill()
    if sys.version_info < (3, 11, 5):
        # `shutdown` waits for the thread that writes calls into a pipe. The write would block for
        # ever, since this process holds the pipe's other end too; later Pythons close it.
        queue = getattr(pool, "_call_queue", None)
        if queue is not None:
            queue._reader.close()
