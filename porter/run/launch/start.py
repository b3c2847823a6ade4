"""Starting a launch: plan, template, record, device. The only way in."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import attrs
import numpy as np

from porter.errors import LaunchInterrupted
from porter.run.device.base import Arenas, Device, Interrupt, Running
from porter.run.launch import abandoned, template
from porter.run.launch.order import Order, order_of
from porter.run.launch.outputs import Outputs, make_outputs
from porter.run.launch.plan import Plan, check_types, plan
from porter.run.launch.programs import programs_of
from porter.run.launch.record import (
    Packed,
    pack_bindings,
    pack_code,
    pack_console,
    pack_launch,
    pack_order,
    pack_programs,
    pack_stdin,
)
from porter.run.launch.spec import Cancel, Launch, Phase, Program
from porter.run.launch.wait import Pump, wait
from porter.run.result import Result
from porter.run.streams.collect import Collector, flush_printed
from porter.run.streams.feed import Feed


def run(
    device: Device,
    programs: Sequence[Program | str | bytes],
    n: int,
    launch: Launch | None = None,
    phase: Phase | None = None,
    *,
    program_of: np.ndarray[Any, Any] | None = None,
) -> Result:
    """Run `n` interpreters on `device` and wait for them.

    All run programs[0], or interpreter i runs programs[program_of[i]]; where that is
    GPUSNEK_NO_PROGRAM it rests. Threads take several programs in the order of programs (order.py).
    Raises NotEnoughMemory before anything starts, LaunchFailed,
    UsageError; LaunchInterrupted with what there is, after Ctrl-C.
    """
    return start(device, programs, n, launch, phase, program_of=program_of).wait()


def start(
    device: Device,
    programs: Sequence[Program | str | bytes],
    n: int,
    launch: Launch | None = None,
    phase: Phase | None = None,
    *,
    program_of: np.ndarray[Any, Any] | None = None,
) -> Started:
    """As run, without waiting."""
    begun = time.monotonic()
    abandoned.check_not_ending()
    launch = Launch() if launch is None else launch
    phase = Phase() if phase is None else phase
    check_types(device, programs, launch, phase)
    planned = plan(device, n, launch, phase)
    chosen = programs_of(device, programs, program_of, planned.n, phase)
    chosen.check(planned.room, planned.n * planned.footprint.each)
    order = order_of(device, chosen, launch, phase)
    if phase.arenas is not None:
        device.grow(phase.arenas)
    if phase.copies is None:
        phase = attrs.evolve(phase, copies=template.find(device, chosen, planned, run))
        planned = attrs.evolve(planned, phase=phase)
    forked = time.monotonic()
    interrupt = device.interrupt(launch.interrupt)
    packed = Packed.empty(device)
    pack_launch(packed, planned, interrupt)
    if phase.compiled is not None:
        pack_code(packed, phase.compiled)
    elif phase.execute:
        pack_programs(packed, chosen)
    pack_stdin(packed, launch.stdin, planned.n)
    pack_bindings(packed, launch, phase)
    outputs = make_outputs(packed, planned)
    rings = pack_console(packed, launch, planned.n)
    pump = None
    if rings is not None and launch.on_output is not None:
        pump = Collector(rings, launch.on_output)
    threads = pack_order(packed, order, planned.n)
    started = time.monotonic()
    running = device.launch(packed.record, threads)
    timings = {"fork": forked - begun, "prepare": started - forked}
    return Started(packed, planned, order, running, interrupt, outputs, started, timings, pump)


@attrs.define(eq=False)
class Started:
    """A launch under way. Where nobody keeps it, its interpreters are stopped (abandoned.py)."""

    _packed: Packed
    _plan: Plan
    _order: Order
    _running: Running
    _interrupt: Interrupt
    _outputs: Outputs
    _began: float  # time.monotonic() of the start
    _timings: dict[str, float]
    _pump: Pump | None = None
    _stop: int = attrs.field(init=False)  # the interrupt word's value that stops hard
    _unwatch: Callable[[], object] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self._stop = int(self._packed.device.built.interrupt["STOP"])
        used = (self._packed, self._outputs, self._pump)
        self._unwatch = abandoned.watch(self, self._running, self._interrupt, self._stop, used)

    def done(self) -> bool:
        """Whether all interpreters have ended. Raises LaunchFailed."""
        return self._running.wait(0)

    def statuses(self) -> np.ndarray[Any, Any] | None:
        """The statuses as they are now (n int32): not_run for interpreters that have not ended.

        None on a GPU, which gives nothing back before the launch ends.
        """
        device = self._packed.device
        return None if device.on_gpu else device.host(self._outputs.status).copy()

    @property
    def not_run(self) -> int:
        """The status of interpreters that have not ended."""
        return int(self._packed.device.built.status["STATUS_NOT_RUN"])

    def interrupt(self, value: int = 1) -> None:
        """Write the interrupt word, from any thread (values: interp.h)."""
        self._interrupt.write(value)

    def wait(self) -> Result:
        """Wait for the end, once. Ctrl-C, the timeout or `cancel` interrupts them.

        Raises LaunchInterrupted with the result after Ctrl-C.
        """
        launch = self._plan.launch
        try:
            ended = wait(
                self._running,
                self._interrupt,
                end=None if launch.timeout is None else self._began + launch.timeout,
                cancel=launch.cancel or Cancel(),
                stop=self._stop,
                pump=self._pump,
                watch=None if launch.on_progress is None else self._progress,
            )
        finally:
            if isinstance(launch.stdin, Feed):
                launch.stdin.close()
        self._unwatch()
        result = self._result(ended.interrupted)
        if ended.keyboard:
            raise LaunchInterrupted(result)
        return result

    def _progress(self) -> None:
        statuses = self.statuses()
        ended = None if statuses is None else int((statuses != self.not_run).sum())
        assert self._plan.launch.on_progress is not None
        self._plan.launch.on_progress(ended)

    def _result(self, interrupted: bool) -> Result:
        seconds = time.monotonic() - self._began
        phase = self._plan.phase
        if phase.arenas is not None:
            phase.arenas.started = not phase.stop
        if self._plan.launch.console == "printf":
            flush_printed()
        timings = {**self._timings, "launch": seconds, "device": self._running.seconds}
        result = self._outputs.result(self._plan, seconds, interrupted, timings)
        return attrs.evolve(result, order=str(self._order))


def clone(device: Device, arenas: Arenas, index: int) -> None:
    """Make all interpreters that rest in `arenas` copies of interpreter `index`.

    Raises UsageError where they cannot be, LaunchFailed. See template.clone.
    """
    template.clone(device, arenas, index, run)
