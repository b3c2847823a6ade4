"""Start a launch on several devices at the same time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Protocol

import attrs
import numpy as np

from porter.errors import LaunchFailed, PorterError, UsageError
from porter.run.device.base import Device
from porter.run.device.several import Part, Several, Share, on_each, renamed
from porter.run.device.shadows import Shadows
from porter.run.launch.checking import Texts, per_interpreter
from porter.run.launch.limits import Each
from porter.run.launch.order import Order, order_kept
from porter.run.launch.plan import Plan
from porter.run.launch.programs import Programs, plan_programs
from porter.run.launch.record import check_texts
from porter.run.launch.several.division import Division, SharedFeed, divide
from porter.run.launch.several.under_way import OnePart, StartedOnSeveral
from porter.run.launch.spec import Cancel, Launch, Phase, Program
from porter.run.launch.started import StartedOnOne
from porter.run.streams.feed import Feed


class Begin(Protocol):
    """A function that starts a launch on one device.

    It is a parameter because its module imports this one.
    """

    def __call__(
        self,
        device: Device,
        programs: Sequence[Program | str | bytes],
        n: int,
        launch: Launch,
        phase: Phase,
        program_of: np.ndarray[Any, Any] | None,
    ) -> StartedOnOne:
        """Return the launch in progress."""
        ...


def start(
    device: Several,
    begin: Begin,
    programs: Sequence[Program | str | bytes],
    n: int,
    launch: Launch,
    phase: Phase,
    program_of: np.ndarray[Any, Any] | None,
) -> StartedOnSeveral:
    """Start a launch of `n` interpreters on all devices. Raises as launch/start.start.

    A device that fails loses only its own part. The failure is raised when the other parts have
    ended.
    """
    if phase.calls is not None:
        raise UsageError("calls are for one device; porter.evaluate spreads them over several")
    if launch.counting is not None:
        raise UsageError("counting: one device counts what its interpreters do")
    if phase.parts is not None:
        raise UsageError("parts: code of several programs is on one device")
    planned, chosen = plan_programs(device, programs, n, launch, phase, program_of)
    launch = checked(launch, planned.n)
    order = order_of_all(chosen, launch, phase)
    shares = _shares(device, planned)
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
        launch, stdin=b"", cancel=cancel, order=False if order.kept else launch.order
    )

    def one(k: int) -> OnePart:
        return _begin(begin, shares[k], divide(shares[k], chosen, common, phase, stdin))

    found = on_each([share.part for share in shares], one, stop=cancel)
    started = StartedOnSeveral(device, planned, found, str(order), time.monotonic())
    for each in found:
        if each.refused is not None:
            started.stop()
            raise each.refused
    return started


def _begin(begin: Begin, share: Share, division: Division) -> OnePart:
    part = share.part
    one = OnePart(share, division)
    try:
        share.shadows.send()
        one.started = begin(
            part.device,
            division.programs,
            part.count,
            division.launch,
            division.phase,
            division.program_of,
        )
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


def order_of_all(programs: Programs, launch: Launch, phase: Phase) -> Order:
    """Apply order_of to all devices: if one must keep the caller's order, all keep it."""
    kept = order_kept(programs, launch, phase)
    return Order(programs.running) if kept is None else kept


def _shares(device: Several, planned: Plan) -> list[Share]:
    """Return the shares of earlier launches in these arenas, or make new ones."""
    block = planned.launch.block or device.block
    arenas = planned.phase.arenas
    if arenas is None:
        return [_share(part) for part in device.share(planned.n, block)]
    shares: list[Share] = arenas.keep
    if not shares:
        parts = device.share(planned.n, block)

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
