"""Run one launch of hostile programs among sentinels and collect the results."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
from attrs import field, frozen

from porter.run import Device, Launch, Program, Result
from porter.run.launch.running import RunningLaunch
from porter.run.start import start

STOPPED = "GPUSNEK_STOPPED"
EVERY = 4  # one interpreter in 4 is a sentinel
BLOCK = 32
HEAP = 80 * 1024
SIZES = Launch(heap=HEAP, pystack=4096, stack=32 * 1024, stdout=2048, stderr=256, block=BLOCK)
# Waits at a barrier, so that its objects are alive while the other interpreters of its block run. A
# MemoryError or a changed byte in any object changes its output.
SENTINEL = b"""\
def build(n):
 kept=[]
 for i in range(n):
  try:kept.append((i,str(i)*3,[i]*4,1/(i%4),bytearray(b'%d'%i)))
  except ZeroDivisionError as e:kept.append(repr(e))
 return kept,3**99,{str(k):k for k in range(n)}
def look(x):
 n=0
 for c in repr(x):n=(n*31+ord(c))&0xffffff
 return n
a=build(30)
b=look(a)
syncthreads()
print(b,look(a),look(build(20)))
"""


@frozen
class BatchLimits:
    """The time limits of a launch, in seconds. A launch that exceeds them all cannot be stopped.

    Attributes:
        seconds: Until programs are interrupted.
        grace: From the interruption to the hard stop.
        margin: From the hard stop to the verdict.
    """

    seconds: float = 2.0
    grace: float = 0.2
    margin: float = 1.0

    @property
    def total(self) -> float:
        """Sum of all three."""
        return self.seconds + self.grace + self.margin


DEFAULT = BatchLimits()


@frozen
class CallBatch:
    """The programs of one launch.

    Attributes:
        sources: Program texts.
        limits: Time limits.
        steps: Step budget of each program, if the build has budgets; 0: none.
        sandbox: Whether programs run in a sandbox, where they have no addresses and cannot load
            code (Launch.sandbox).
        heap: Heap of each interpreter in bytes.
    """

    sources: tuple[bytes, ...]
    limits: BatchLimits = DEFAULT
    steps: int = 0
    sandbox: bool = False
    heap: int = HEAP


@frozen
class BatchEnded:
    """A launch that ended.

    Attributes:
        statuses: C name of each program's status.
        outputs: Output of each program.
        sentinels: Distinct pairs of status and output of the sentinels.
        interrupted: Whether the launch was interrupted; some programs may not have run then.
        seconds: Duration of the launch.
    """

    statuses: tuple[str, ...]
    outputs: tuple[bytes, ...] = field(repr=False)
    sentinels: frozenset[tuple[str, bytes]]
    interrupted: bool
    seconds: float


@frozen
class BatchStuck:
    """A launch that did not end when stopped. suspects: programs that may be the cause."""

    suspects: tuple[int, ...]
    report: str = field(default="", repr=False)


@frozen
class BatchDied:
    """A launch that killed its process, or failed. how: the signal, or the message."""

    how: str
    report: str = field(default="", repr=False)


Answer = BatchEnded | BatchStuck | BatchDied


def places(count: int) -> tuple[np.ndarray[tuple[int], np.dtype[np.uint32]], list[int]]:
    """Place sentinels among `count` programs.

    Returns:
        The number of each interpreter's program (0: the sentinel, i: program i - 1), and the
        interpreter of each program.
    """
    which: list[int] = []
    where: list[int] = []
    while len(where) < count:
        if len(which) % EVERY == 0:
            which.append(0)
        where.append(len(which))
        which.append(len(where))
    which.append(0)
    return np.array(which, np.uint32), where


def launch_batch(device: Device, batch: CallBatch) -> BatchEnded | BatchStuck:
    """Run `batch` in one launch. After BatchStuck the device is unusable. Raises LaunchFailed."""
    which, where = places(len(batch.sources))
    programs = [Program(SENTINEL, "sentinel")]
    programs += [Program(source, "calls") for source in batch.sources]
    begun = time.monotonic()
    started = start(device, programs, len(which), _launch(batch), program_of=which)
    interrupted = _drive(started, batch.limits, int(device.built.interrupt["STOP"]))
    if interrupted is None:
        return BatchStuck(_suspects(started, where))
    result = started.wait()
    return _ended(result, which, where, interrupted, time.monotonic() - begun)


def _launch(batch: CallBatch) -> Launch:
    # A Launch without the field max_steps supports no step budgets.
    known = {attribute.name for attribute in attrs.fields(Launch)}
    options: dict[str, Any] = {"heap": batch.heap}
    if batch.steps and "max_steps" in known:
        options["max_steps"] = batch.steps
    if batch.sandbox:
        options["sandbox"] = True
    return attrs.evolve(SIZES, **options)


def _drive(started: RunningLaunch, limits: BatchLimits, stop: int) -> bool | None:
    """Wait for the end. Return whether the launch was interrupted; None if it does not end."""
    begun = time.monotonic()
    written, pause = 0, 0.0002
    patience, before = limits.total, -1
    while not started.done():
        spent = time.monotonic() - begun
        if spent > patience:
            waiting = _waiting(started)
            if waiting is None or waiting == before:
                return None
            # Interpreters still end one by one: the machine is only busy.
            patience, before = spent + limits.margin, waiting
        if written == 0 and spent > limits.seconds:
            started.interrupt()
            written = 1
        elif written == 1 and spent > limits.seconds + limits.grace:
            started.interrupt(stop)
            written = 2
        time.sleep(pause)
        pause = min(pause * 1.5, 0.01)
    return written > 0


def _waiting(started: RunningLaunch) -> int | None:
    """Return the number of interpreters that have not ended; None if the device cannot tell."""
    statuses = started.statuses()
    return None if statuses is None else int((statuses == started.not_run).sum())


def _suspects(started: RunningLaunch, where: Sequence[int]) -> tuple[int, ...]:
    """Return the first program that has not ended, since a host twin's thread runs them in order.

    All programs, if the device cannot tell which ones have ended.
    """
    statuses = started.statuses()
    if statuses is None:
        return tuple(range(len(where)))
    waiting = [i for i, at in enumerate(where) if statuses[at] == started.not_run]
    return tuple(waiting[:1]) or tuple(range(len(where)))


def _ended(
    result: Result,
    which: np.ndarray[tuple[int], np.dtype[np.uint32]],
    where: Sequence[int],
    interrupted: bool,
    seconds: float,
) -> BatchEnded:
    name_of = result.statuses.name_of
    names = {int(value): name_of(int(value)) for value in np.unique(result.status)}
    # The first interruption is a KeyboardInterrupt, which programs do not catch.
    ends = [names[int(value)] for value in result.status]
    if interrupted:
        late = (i for i, end in enumerate(ends) if end == "GPUSNEK_EXCEPTION")
        for i in [i for i in late if b"KeyboardInterrupt" in result.stderr[i]]:
            ends[i] = STOPPED
    sentinels = {(ends[i], result.stdout[i]) for i in np.flatnonzero(which == 0).tolist()}
    return BatchEnded(
        tuple(ends[at] for at in where),
        tuple(result.stdout[at] for at in where),
        frozenset(sentinels),
        interrupted,
        seconds,
    )
