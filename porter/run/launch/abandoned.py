"""Launches that nobody waits for any more: stopped, and never left with memory that goes away.

A launch reads and writes arrays of this process until it ends. Whoever forgets it (an array that is
deleted, an exception that drops it, Python that ends) must not free them before.
"""

from __future__ import annotations

import atexit
import ctypes
import weakref
from collections.abc import Callable

from porter.errors import LaunchFailed
from porter.run.device.base import Interrupt, Running

PATIENCE = 2.0  # seconds that a stopped launch may take to end

_ending = False


def watch(
    handle: object, running: Running, interrupt: Interrupt, stop: int, owner: object
) -> Callable[[], object]:
    """Stop the launch `running` when `handle` is gone before its end, or when Python ends.

    stop: the interrupt word's value that stops hard. owner: what interpreters use; it lives until
    they have ended, for ever where they do not end within PATIENCE. Returns what ends the watch;
    call it once the launch has ended, for the device may have other work by the time.
    """
    return weakref.finalize(handle, _abandon, running, interrupt, stop, owner).detach


def check_not_ending() -> None:
    """LaunchFailed once Python ends: a thread that goes on may start nothing any more."""
    if _ending:
        raise LaunchFailed("Python is ending, and no launch can start any more")


def _abandon(running: Running, interrupt: Interrupt, stop: int, owner: object) -> None:
    try:
        if running.wait(0):
            return
        interrupt.write(stop)
        if running.wait(PATIENCE):
            return
    except LaunchFailed:
        return  # it has ended
    # A long loop of C. What it uses is never given back, not by the end of Python either.
    for kept in (running, interrupt, owner):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))


@atexit.register
def _end() -> None:
    global _ending
    _ending = True
