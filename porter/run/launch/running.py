"""A launch in progress on one device: start it, wait for it, and return its result.

Input: a `PreparedLaunch`. Output: a `Result`. `wait` forwards output and handles the timeout.

Abandoned launches: a launch reads and writes arrays of this process until it ends. The arrays must
outlive it when an array object is deleted, an exception drops the launch, or Python exits. A launch
that is no longer referenced is therefore stopped before its memory is freed.
"""

from __future__ import annotations

import atexit
import ctypes
import time
import weakref
from collections.abc import Callable
from typing import Protocol

import attrs
import numpy as np

from porter.errors import LaunchFailed, LaunchInterrupted
from porter.run.device.base import Interrupt, RunningKernels
from porter.run.launch.options import Cancel, Launch
from porter.run.launch.prepared import PreparedLaunch
from porter.run.launch.wait import Awaited, Ended, Writable, wait
from porter.run.result import Result
from porter.run.streams.feed import Feed
from porter.run.streams.rings import Collector, Rings, Source, flush_printed


class RunningLaunch(Protocol):
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
    running: RunningLaunch,
    options: Launch,
    kernels: Awaited,
    word: Writable,
    rings: Source | None,
    *,
    began: float,
    stop: int,
) -> Ended:
    """Wait for the kernels of a launch, with its timeout, cancellation, output and progress.

    Args:
        running: The launch.
        options: Its options.
        kernels: Its kernels, on one device or on several.
        word: Its interrupt word, or the words of several devices.
        rings: Its output rings, if any.
        began: The time of its start, by time.monotonic().
        stop: The interrupt word's value for a hard stop.
    """
    pump = None
    if rings is not None and options.on_output is not None:
        pump = Collector(rings, options.on_output)
    try:
        return wait(
            kernels,
            word,
            end=None if options.timeout is None else began + options.timeout,
            cancel=options.cancel or Cancel(),
            stop=stop,
            pump=pump,
            watch=_progress_of(running, options),
        )
    finally:
        if isinstance(options.stdin, Feed):
            options.stdin.close()


def _progress_of(running: RunningLaunch, options: Launch) -> Callable[[], None] | None:
    """Return a function that reports progress to `on_progress`; None without that option."""
    report = options.on_progress
    if report is None:
        return None

    def watch() -> None:
        statuses = running.statuses()
        report(None if statuses is None else int((statuses != running.not_run).sum()))

    return watch


@attrs.define(eq=False)
class DeviceLaunch:
    """A launch in progress on one device; garbage collection stops it (`stop_when_dropped`).

    Attributes:
        kernels: The kernels to wait for.
    """

    _prepared: PreparedLaunch
    kernels: RunningKernels
    _began: float  # time.monotonic() of the start
    _stop: int = attrs.field(init=False)  # the interrupt word's value for a hard stop
    _unwatch: Callable[[], object] = attrs.field(init=False)  # see stop_when_dropped

    def __attrs_post_init__(self) -> None:
        prepared = self._prepared
        self._stop = int(prepared.plan.device.built.interrupt["STOP"])
        # Without the plan, whose callbacks may refer to this object.
        used = (prepared.record, prepared.outputs, prepared.rings)
        self._unwatch = stop_when_dropped(self, self.kernels, prepared.interrupt, self._stop, used)

    @property
    def rings(self) -> Rings | None:
        """The output rings to empty meanwhile; None where output is read after the launch."""
        return self._prepared.rings

    def done(self) -> bool:
        """See RunningLaunch."""
        return self.kernels.wait(0)

    def statuses(self) -> np.ndarray[tuple[int], np.dtype[np.int32]] | None:
        """See RunningLaunch."""
        device = self._prepared.plan.device
        return None if device.on_gpu else device.host(self._prepared.outputs.status).copy()

    @property
    def not_run(self) -> int:
        """See RunningLaunch."""
        return int(self._prepared.plan.device.built.status["STATUS_NOT_RUN"])

    def interrupt(self, value: int = 1) -> None:
        """See RunningLaunch."""
        self._prepared.interrupt.write(value)

    def wait(self) -> Result:
        """See RunningLaunch."""
        ended = wait_for(
            self,
            self._prepared.plan.launch,
            self.kernels,
            self._prepared.interrupt,
            self.rings,
            began=self._began,
            stop=self._stop,
        )
        result = self.conclude(ended.interrupted)
        if ended.keyboard:
            raise LaunchInterrupted(result)
        return result

    def conclude(self, interrupted: bool) -> Result:
        """Return the result of a launch that has ended."""
        self._unwatch()
        seconds = time.monotonic() - self._began
        plan = self._prepared.plan
        phase = plan.phase
        if phase.arenas is not None:
            phase.arenas.started = not phase.stop
        if plan.launch.console == "printf":
            flush_printed()
        timings = {**self._prepared.timings, "launch": seconds, "device": self.kernels.seconds}
        result = self._prepared.outputs.result(plan, seconds, interrupted, timings)
        if phase.arenas is not None and phase.copies is not None and not result.status.any():
            phase.arenas.store.set_base(phase.copies.owner)
        return attrs.evolve(result, order=str(plan.order), refused=self.kernels.refused)


def start_prepared(prepared: PreparedLaunch) -> DeviceLaunch:
    """Start the kernels of a prepared launch, and return at once."""
    began = time.monotonic()
    device, record = prepared.plan.device, prepared.record.fields
    urgent = prepared.plan.phase.urgent
    kernels = device.launch(record, prepared.threads, prepared.chunks, urgent=urgent)
    return DeviceLaunch(prepared, kernels, began)


PATIENCE = 2.0  # seconds that a stopped launch may take to end

_exiting = False


def stop_when_dropped(
    handle: object, kernels: RunningKernels, interrupt: Interrupt, stop: int, owner: object
) -> Callable[[], object]:
    """Stop a launch when its handle is collected before its end, or when Python exits.

    Args:
        handle: The object whose collection means that the launch is abandoned.
        kernels: The kernels of the launch.
        interrupt: Its interrupt word.
        stop: The interrupt word's value for a hard stop.
        owner: Memory that interpreters use. It is kept until they have ended, or forever if they do
            not end within PATIENCE.

    Returns:
        A function that lets the launch be. Call it once the launch has ended, because the device
        may run another launch later.
    """
    return weakref.finalize(handle, _abandon, kernels, interrupt, stop, owner).detach


def check_not_exiting() -> None:
    """Raise LaunchFailed once Python is exiting, so that remaining threads start no launch."""
    if _exiting:
        raise LaunchFailed("Python is ending, and no launch can start any more")


def _abandon(kernels: RunningKernels, interrupt: Interrupt, stop: int, owner: object) -> None:
    try:
        if kernels.wait(0):
            return
        interrupt.write(stop)
        if kernels.wait(PATIENCE):
            return
    except LaunchFailed:
        return  # the launch has ended
    # A long loop in C does not poll. Leak its memory on purpose, also past Python's exit.
    for kept in (kernels, interrupt, owner):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))


@atexit.register
def _note_exit() -> None:
    global _exiting
    _exiting = True
