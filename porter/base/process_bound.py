"""Base class of objects that are bound to one process: devices, arrays of interpreters, calls.

These objects hold addresses, threads, locks and driver handles. A forked child has copies of the
addresses only. A lock that another thread held is never released there, and a launch in progress
never ends. Each object therefore remembers the process that made it. It refuses to be used in
another process, and to be pickled.
"""

from __future__ import annotations

import os
import threading
from typing import Any, NoReturn, Self

from porter.errors import LaunchFailed, WrongType

AFTER_FORK = (
    "Make an array of interpreters after the fork, or start the process with multiprocessing's "
    'method "spawn".'
)
NOT_PICKLED = (
    "Each process opens a device and makes an array of its own. Send sources, cases and values, "
    "which can be pickled."
)


class OfOneProcess:
    """Base of classes whose instances are usable only in the process that made them.

    Attributes:
        process: The id of that process.
    """

    process: int  # id of the process that made the object

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Remember this process."""
        made = super().__new__(cls)
        made.process = os.getpid()
        return made

    @property
    def forked(self) -> bool:
        """Whether this process is a fork of the process that made the object."""
        return os.getpid() != self.process

    def check_process(self) -> None:
        """Raise LaunchFailed in a fork of the process that made the object."""
        if self.forked:
            raise forked(type(self).__name__)

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise WrongType(
            f"{type(self).__name__}: it lives in this process, and cannot be pickled or copied",
            hint=NOT_PICKLED,
        )


class ProcessLock:
    """A reentrant lock. In a forked child process, entering it raises LaunchFailed.

    Otherwise the child could wait forever for a thread that exists only in its parent.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._process = os.getpid()

    def check_process(self) -> None:
        """Raise LaunchFailed in a fork of the process that made the lock."""
        if os.getpid() != self._process:
            raise forked("array of interpreters")

    def __enter__(self) -> None:
        self.check_process()
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def forked(what: str) -> LaunchFailed:
    """Return the error for the use of `what` in a fork of the process that made it."""
    return LaunchFailed(
        f"{what}: this process was forked from the one that made it, which alone can use it",
        hint=AFTER_FORK,
    )
