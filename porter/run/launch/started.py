"""A launch in progress on one device."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

import attrs
import numpy as np

from porter.errors import LaunchInterrupted
from porter.run.device.base import Interrupt, Running
from porter.run.device.images import based_alone
from porter.run.launch import abandoned
from porter.run.launch.order import Order
from porter.run.launch.outputs import Outputs
from porter.run.launch.plan import Plan
from porter.run.launch.record import Packed
from porter.run.launch.spec import Cancel, Launch
from porter.run.launch.wait import Awaited, Ended, Writable, wait
from porter.run.result import Result
from porter.run.streams.collect import Collector, Source, flush_printed
from porter.run.streams.feed import Feed
from porter.run.streams.ring import Rings


class Started(Protocol):
    """A launch in progress, on one device or on several."""

    def done(self) -> bool:
        """Return whether all interpreters have ended. Raises LaunchFailed."""

    def statuses(self) -> np.ndarray[tuple[int], np.dtype[np.int32]] | None:
        """Return the current statuses (n int32); not_run for interpreters that have not ended.

        None on a GPU, which returns nothing before the launch ends.
        """

    @property
    def not_run(self) -> int:
        """The status of interpreters that have not ended."""

    def interrupt(self, value: int = 1) -> None:
        """Write the interrupt word, from any thread (values: interp.h)."""

    def wait(self) -> Result:
        """Wait for the end; call it once. Ctrl-C, the timeout or `cancel` interrupts interpreters.

        Raises:
            LaunchInterrupted: Ctrl-C came; the error has the result.
        """


def wait_for(
    started: Started,
    launch: Launch,
    running: Awaited,
    word: Writable,
    rings: Source | None,
    *,
    began: float,
    stop: int,
) -> Ended:
    """Wait for `running`, with the timeout, cancellation, output and progress of its `launch`."""
    pump = None
    if rings is not None and launch.on_output is not None:
        pump = Collector(rings, launch.on_output)
    try:
        return wait(
            running,
            word,
            end=None if launch.timeout is None else began + launch.timeout,
            cancel=launch.cancel or Cancel(),
            stop=stop,
            pump=pump,
            watch=_watch_of(started, launch),
        )
    finally:
        if isinstance(launch.stdin, Feed):
            launch.stdin.close()


def _watch_of(started: Started, launch: Launch) -> Callable[[], None] | None:
    """Return a function that reports progress to `on_progress`; None without that option."""
    tell = launch.on_progress
    if tell is None:
        return None

    def watch() -> None:
        statuses = started.statuses()
        tell(None if statuses is None else int((statuses != started.not_run).sum()))

    return watch


@attrs.define(eq=False)
class StartedOnOne:
    """A launch in progress on one device; garbage collection stops it (abandoned.py).

    Attributes:
        running: The kernel to wait for.
        word: The interrupt word.
        rings: The output rings to empty meanwhile.
    """

    _packed: Packed
    _plan: Plan
    _order: Order
    running: Running
    word: Interrupt
    _outputs: Outputs
    began: float  # time.monotonic() of the start
    _timings: dict[str, float]
    rings: Rings | None = None
    _stop: int = attrs.field(init=False)  # the interrupt word's value for a hard stop
    _unwatch: Callable[[], object] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self._stop = int(self._packed.device.built.interrupt["STOP"])
        used = (self._packed, self._outputs, self.rings)
        self._unwatch = abandoned.watch(self, self.running, self.word, self._stop, used)

    def done(self) -> bool:
        """See Started."""
        return self.running.wait(0)

    def statuses(self) -> np.ndarray[tuple[int], np.dtype[np.int32]] | None:
        """See Started."""
        device = self._packed.device
        return None if device.on_gpu else device.host(self._outputs.status).copy()

    @property
    def not_run(self) -> int:
        """See Started."""
        return int(self._packed.device.built.status["STATUS_NOT_RUN"])

    def interrupt(self, value: int = 1) -> None:
        """See Started."""
        self.word.write(value)

    def wait(self) -> Result:
        """See Started."""
        launch = self._plan.launch
        ended = wait_for(
            self, launch, self.running, self.word, self.rings, began=self.began, stop=self._stop
        )
        result = self.conclude(ended.interrupted)
        if ended.keyboard:
            raise LaunchInterrupted(result)
        return result

    def conclude(self, interrupted: bool) -> Result:
        """Return the result of a launch that has ended."""
        self._unwatch()
        seconds = time.monotonic() - self.began
        phase = self._plan.phase
        if phase.arenas is not None:
            phase.arenas.started = not phase.stop
        if self._plan.launch.console == "printf":
            flush_printed()
        timings = {**self._timings, "launch": seconds, "device": self.running.seconds}
        result = self._outputs.result(self._plan, seconds, interrupted, timings)
        if phase.copies is not None and not result.status.any():
            based_alone(phase.arenas, phase.copies.keep)
        return attrs.evolve(result, order=str(self._order), refused=self.running.refused)
