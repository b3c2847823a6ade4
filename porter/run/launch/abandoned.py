"""Abandoned launches: stop a launch that is no longer referenced, before its memory is freed.

A launch reads and writes arrays of this process until it ends. The arrays must outlive it when an
array object is deleted, an exception drops the launch, or Python exits.
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
    """Stop a launch when its handle is collected before its end, or when Python exits.

    Args:
        handle: The object whose collection means that the launch is abandoned.
        running: The launch.
        interrupt: Its interrupt word.
        stop: The interrupt word's value for a hard stop.
        owner: Memory that interpreters use. It is kept until they have ended, or forever if they do
            not end within PATIENCE.

    Returns:
        A function that ends the watch. Call it once the launch has ended, because the device may
        run another launch later.
    """
    return weakref.finalize(handle, _abandon, running, interrupt, stop, owner).detach


def check_not_ending() -> None:
    """Raise LaunchFailed once Python is exiting, so that remaining threads start no launch."""
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
        return  # the launch has ended
    # A long loop in C does not poll. Leak its memory on purpose, also past Python's exit.
    for kept in (running, interrupt, owner):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))


@atexit.register
def _end() -> None:
    global _ending
    _ending = True
