"""A launch in progress on several devices."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
from attrs import define

from porter.errors import DeviceFailed, LaunchFailed, LaunchInterrupted, PorterError
from porter.run.device.several import Several, Share, on_each
from porter.run.launch.abandoned import PATIENCE
from porter.run.launch.plan import Plan
from porter.run.launch.several.division import Division
from porter.run.launch.several.joining import join, nothing
from porter.run.launch.started import StartedOnOne, wait_for
from porter.run.result import Result
from porter.run.streams.ring import Batch


@define(eq=False)
class OnePart:
    """A device's part of a launch in progress.

    Attributes:
        share: The device, its interpreters and memory.
        division: The part of the launch.
        started: The launch in progress; None where it did not start.
        failed: Why the part has no result; None where it has.
        refused: An error of the caller's that prevents the launch on all devices.
    """

    share: Share
    division: Division
    started: StartedOnOne | None = None
    failed: LaunchFailed | None = None
    refused: PorterError | None = None

    def wait(self, seconds: float | None) -> bool:
        """Wait at most `seconds`; return whether the part has ended or failed."""
        if self.started is None or self.failed is not None:
            return True
        try:
            with self.share.part.device.here():
                return self.started.running.wait(seconds)
        except LaunchFailed as error:
            self.failed = error
            return True

    def conclude(self, device: Several, plan: Plan, interrupted: bool) -> Result:
        """Return the part's result, or `nothing` where its device failed."""
        part = self.share.part
        if self.started is not None and self.failed is None:
            try:
                result = self.started.conclude(interrupted)
                self.share.shadows.fetch()
                self.division.finish(part.device)
                return result
            except LaunchFailed as error:
                self.failed = error
        return nothing(device, plan, part)


@define(eq=False)
class StartedOnSeveral:
    """A launch in progress on several devices; garbage collection stops it."""

    _device: Several
    _plan: Plan
    _parts: Sequence[OnePart]
    _order: str
    _began: float

    def done(self) -> bool:
        """Return whether all interpreters have ended."""
        return all(part.wait(0) for part in self._parts)

    def statuses(self) -> np.ndarray[Any, Any] | None:
        """Return the current statuses (n int32); None on GPUs."""
        found = []
        for part in self._parts:
            if part.started is None:
                found.append(np.full(part.share.part.count, self.not_run, np.int32))
            elif (statuses := part.started.statuses()) is None:
                return None
            else:
                found.append(statuses)
        return np.concatenate(found)

    @property
    def not_run(self) -> int:
        """The status of interpreters that have not ended."""
        return int(self._device.built.status["STATUS_NOT_RUN"])

    def interrupt(self, value: int = 1) -> None:
        """Write every device's interrupt word, from any thread (values: interp.h)."""
        _AllWords(self._parts).write(value)

    def stop(self) -> None:
        """Stop all interpreters hard, wait up to PATIENCE for them, and drop their results."""
        _AllWords(self._parts).write(int(self._device.built.interrupt["STOP"]))
        _All(self._parts).wait(PATIENCE)

    def wait(self) -> Result:
        """Wait for the end on all devices; call it once.

        Ctrl-C, the timeout or `cancel` interrupts all interpreters.

        Raises:
            DeviceFailed: A device failed; the error has the other devices' results.
            LaunchInterrupted: Ctrl-C came; the error has the result.
        """
        launch = self._plan.launch
        ended = wait_for(
            self,
            launch,
            _All(self._parts),
            _AllWords(self._parts),
            _AllRings(self._parts),
            began=self._began,
            stop=int(self._device.built.interrupt["STOP"]),
        )
        result = self._conclude(ended.interrupted)
        self._raise_failures(result)
        if ended.keyboard:
            raise LaunchInterrupted(result)
        return result

    def _conclude(self, interrupted: bool) -> Result:
        where = [part.share.part for part in self._parts]

        def conclude(k: int) -> Result:
            return self._parts[k].conclude(self._device, self._plan, interrupted)

        results = on_each(where, conclude)
        if self._plan.phase.arenas is not None:
            self._plan.phase.arenas.started = not self._plan.phase.stop
        result = join(self._device, where, results, self._order, time.monotonic() - self._began)
        return attrs.evolve(result, interrupted=interrupted)

    def _raise_failures(self, result: Result) -> None:
        failed = [part for part in self._parts if part.failed is not None]
        if not failed:
            return
        lost = sum(part.share.part.count for part in failed)
        lines = [
            f"{each.share.part.label} failed with {each.share.part.range}: {each.failed}"
            for each in failed
        ]
        left = self._plan.n - lost
        rest = f"The other {left} have ended: the error's result has what they left."
        raise DeviceFailed(
            "; ".join(lines), hint=rest if left else None, result=result
        ) from failed[0].failed


@define
class _All:
    parts: Sequence[OnePart]

    def wait(self, seconds: float | None) -> bool:
        end = None if seconds is None else time.monotonic() + seconds
        for part in self.parts:
            left = None if end is None else max(0.0, end - time.monotonic())
            if not part.wait(left):
                return False
        return True


@define
class _AllWords:
    parts: Sequence[OnePart]

    def write(self, value: int) -> None:
        for part in self.parts:
            if part.started is not None and part.failed is None:
                with part.share.part.device.here():
                    part.started.interrupt(value)


@define
class _AllRings:
    parts: Sequence[OnePart]

    def take(self) -> Batch | None:
        found = []
        for part in self.parts:
            rings = None if part.started is None else part.started.rings
            batch = None if rings is None else rings.take()
            if batch is not None:
                lane = batch.lane + np.uint32(part.share.part.first)
                found.append(attrs.evolve(batch, lane=lane))
        return Batch.joined(found) if found else None
