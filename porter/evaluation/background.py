"""Open a device in a thread of its own, so that an evaluation begins on devices that are open."""

from __future__ import annotations

import threading
from collections.abc import Callable

from attrs import define, field

from porter.errors import BuildDamaged, PorterError


@define(eq=False)
class Background:
    """Base of devices that are opened when they are first needed.

    A subclass has `label`, `optional` (whether evaluations continue without it) and `start`.

    Attributes:
        is_open: Whether it can judge.
        error: Why it could not be opened.
    """

    is_open: bool = field(default=False, init=False)
    error: BaseException | None = field(default=None, init=False)
    _waiting: list[Callable[[], object]] = field(factory=list, init=False)
    _lock: threading.Lock = field(factory=threading.Lock, init=False, repr=False)
    _thread: threading.Thread | None = field(default=None, init=False, repr=False)

    label: str = field(default="", init=False)
    optional: bool = field(default=True, init=False)

    def start(self) -> None:
        """Open the device, in the calling thread."""
        raise NotImplementedError

    def open(self, report: Callable[[], object]) -> None:
        """Open the device in a thread of its own, and call `report` there in the end.

        The thread does not depend on the evaluation: the next one finds the device open.
        """
        with self._lock:
            if not self.is_open and self.error is None:
                self._waiting.append(report)
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name=f"open {self.label}")
                    self._thread.start()
                return
        report()

    def close(self) -> None:
        """Close the device, after its opening has ended."""
        raise NotImplementedError

    def reset(self) -> None:
        """Mark the device as closed, so that it can be opened again."""
        with self._lock:
            self.is_open, self._thread = False, None

    def join(self) -> None:
        """Wait until the opening has ended, if it has begun."""
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        error: BaseException | None = None
        try:
            self.start()
        except BaseException as raised:
            error = raised
            # Other devices would hide the damage.
            self.optional &= isinstance(raised, PorterError) and not isinstance(
                raised, BuildDamaged
            )
        with self._lock:
            self.is_open, self.error = error is None, error
            waiting, self._waiting = self._waiting, []
        for report in waiting:
            report()
