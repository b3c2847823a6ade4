"""A launch on several devices: divide it, start all parts, wait for them, join their results."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
from attrs import define

from porter.errors import DeviceFailed, LaunchFailed, LaunchInterrupted, PorterError, UsageError
from porter.run.device.base import Device
from porter.run.launch.limits import Each
from porter.run.launch.options import Cancel, Launch
from porter.run.launch.plan import LaunchPlan, LaunchRequest, plan_launch
from porter.run.launch.record import check_texts
from porter.run.launch.running import PATIENCE, DeviceLaunch, wait_for
from porter.run.launch.single import start_on_device
from porter.run.launch.validators import Texts, per_interpreter
from porter.run.result import Result
from porter.run.several.device import Part, Share, on_each, parts_of, renamed, shares_of
from porter.run.several.division import Division, SharedFeed, divide
from porter.run.several.results import join, nothing
from porter.run.several.shadows import Shadows
from porter.run.streams.feed import Feed
from porter.run.streams.rings import Batch


def start_on_members(device: Device, request: LaunchRequest) -> MembersLaunch:
    """Start a launch on the members of a composite device. Raises as `porter.run.start.start`.

    A member that fails loses only its own part. The failure is raised when the other parts have
    ended.
    """
    phase = request.phase
    if phase.calls is not None:
        raise UsageError("calls are for one device; porter.evaluate spreads them over several")
    if request.launch.counting is not None:
        raise UsageError("counting: one device counts what its interpreters do")
    if phase.parts is not None:
        raise UsageError("parts: code of several programs is on one device")
    plan = plan_launch(device, request)
    launch = checked(plan.launch, plan.n)
    shares = _shares(plan)
    if launch.fs is not None and launch.fs_shared and len(shares) > 1:
        raise UsageError(
            "one file system for all lies in one device's memory, and others cannot reach it",
            hint="Give each interpreter a copy (--fs-private), or run on one device.",
        )
    cancel = launch.cancel or Cancel()
    stdin: Any = launch.stdin
    if isinstance(stdin, Feed):
        stdin = SharedFeed(stdin, stdin.attach(device))
    common = attrs.evolve(
        launch, stdin=b"", cancel=cancel, order=False if plan.order.kept else launch.order
    )

    def one(k: int) -> PartLaunch:
        return _start_part(shares[k], divide(shares[k], plan.programs, common, phase, stdin))

    found = on_each([share.part for share in shares], one, stop=cancel)
    running = MembersLaunch(plan, found, time.monotonic())
    for each in found:
        if each.refused is not None:
            running.stop()
            raise each.refused
    return running


def _start_part(share: Share, division: Division) -> PartLaunch:
    part = share.part
    one = PartLaunch(share, division)
    try:
        share.shadows.send()
        one.running = start_on_device(part.device, division.request(part.count))
    except LaunchFailed as error:
        one.failed = error
    except PorterError as error:
        renamed(error, part.label)
        one.refused = error
    return one


def checked(launch: Launch, n: int) -> Launch:
    """Validate options with one value per interpreter. Raises UsageError."""
    if isinstance(launch.stdin, Texts):
        check_texts(launch.stdin, n)
    for name in ("max_steps", "deadline"):
        limit = getattr(launch, name)
        if isinstance(limit, Each):
            limit.of(n, name)
    if launch.fail_allocation is None:
        return launch
    fails = per_interpreter(launch.fail_allocation, n, "fail_allocation")
    return attrs.evolve(launch, fail_allocation=fails)


def _shares(plan: LaunchPlan) -> list[Share]:
    """Return the shares of earlier launches in these arenas, or make new ones."""
    block = plan.launch.block or plan.device.block
    arenas = plan.phase.arenas
    parts = parts_of(plan.device.members, plan.n, block)
    if arenas is None:
        return [_share(part) for part in parts]
    shares = shares_of(arenas)
    if not shares:

        def make(k: int) -> Share:
            part = parts[k]
            mine = part.device.arenas(part.count, arenas.sizes["pystack"], arenas.sizes["heap"])
            return Share(part, Shadows(part.device), mine)

        shares += on_each(parts, make)
    if any(share.part.first % block for share in shares):
        raise UsageError(
            f"block: {block} interpreters, but those of each device began in other blocks",
            hint="Interpreters on several devices keep their blocks from launch to launch.",
        )
    for share in shares:
        assert share.arenas is not None
        share.arenas.started, share.arenas.together = arenas.started, arenas.together
        share.arenas.at_once = arenas.at_once
    return shares


def _share(part: Part) -> Share:
    return Share(part, Shadows(part.device))


@define(eq=False)
class PartLaunch:
    """A device's part of a launch in progress.

    Attributes:
        share: The device, its interpreters and memory.
        division: The part of the launch.
        running: The launch in progress; None where it did not start.
        failed: Why the part has no result; None where it has.
        refused: An error of the caller's that prevents the launch on all devices.
    """

    share: Share
    division: Division
    running: DeviceLaunch | None = None
    failed: LaunchFailed | None = None
    refused: PorterError | None = None

    def wait(self, seconds: float | None) -> bool:
        """Wait at most `seconds`; return whether the part has ended or failed."""
        if self.running is None or self.failed is not None:
            return True
        try:
            with self.share.part.device.here():
                return self.running.kernels.wait(seconds)
        except LaunchFailed as error:
            self.failed = error
            return True

    def conclude(self, plan: LaunchPlan, interrupted: bool) -> Result:
        """Return the part's result, or `nothing` where its device failed."""
        part = self.share.part
        if self.running is not None and self.failed is None:
            try:
                result = self.running.conclude(interrupted)
                self.share.shadows.fetch()
                self.division.finish(part.device)
                return result
            except LaunchFailed as error:
                self.failed = error
        return nothing(plan, part)


@define(eq=False)
class MembersLaunch:
    """A launch in progress on several devices; garbage collection stops it."""

    _plan: LaunchPlan
    _parts: Sequence[PartLaunch]
    _began: float

    def done(self) -> bool:
        """Return whether all interpreters have ended."""
        return all(part.wait(0) for part in self._parts)

    def statuses(self) -> np.ndarray[Any, Any] | None:
        """Return the current statuses (n int32); None on GPUs."""
        found = []
        for part in self._parts:
            if part.running is None:
                found.append(np.full(part.share.part.count, self.not_run, np.int32))
            elif (statuses := part.running.statuses()) is None:
                return None
            else:
                found.append(statuses)
        return np.concatenate(found)

    @property
    def not_run(self) -> int:
        """The status of interpreters that have not ended."""
        return int(self._plan.device.built.status["STATUS_NOT_RUN"])

    def interrupt(self, value: int = 1) -> None:
        """Write every device's interrupt word, from any thread (values: interp.h)."""
        _AllWords(self._parts).write(value)

    def stop(self) -> None:
        """Stop all interpreters hard, wait up to PATIENCE for them, and drop their results."""
        _AllWords(self._parts).write(int(self._plan.device.built.interrupt["STOP"]))
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
            stop=int(self._plan.device.built.interrupt["STOP"]),
        )
        result = self._conclude(ended.interrupted)
        self._raise_failures(result)
        if ended.keyboard:
            raise LaunchInterrupted(result)
        return result

    def _conclude(self, interrupted: bool) -> Result:
        where = [part.share.part for part in self._parts]

        def conclude(k: int) -> Result:
            return self._parts[k].conclude(self._plan, interrupted)

        results = on_each(where, conclude)
        if self._plan.phase.arenas is not None:
            self._plan.phase.arenas.started = not self._plan.phase.stop
        seconds = time.monotonic() - self._began
        result = join(self._plan.device, where, results, str(self._plan.order), seconds)
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
    parts: Sequence[PartLaunch]

    def wait(self, seconds: float | None) -> bool:
        end = None if seconds is None else time.monotonic() + seconds
        for part in self.parts:
            left = None if end is None else max(0.0, end - time.monotonic())
            if not part.wait(left):
                return False
        return True


@define
class _AllWords:
    parts: Sequence[PartLaunch]

    def write(self, value: int) -> None:
        for part in self.parts:
            if part.running is not None and part.failed is None:
                with part.share.part.device.here():
                    part.running.interrupt(value)


@define
class _AllRings:
    parts: Sequence[PartLaunch]

    def take(self) -> Batch | None:
        found = []
        for part in self.parts:
            rings = None if part.running is None else part.running.rings
            batch = None if rings is None else rings.take()
            if batch is not None:
                lane = batch.lane + np.uint32(part.share.part.first)
                found.append(attrs.evolve(batch, lane=lane))
        return Batch.joined(found) if found else None
