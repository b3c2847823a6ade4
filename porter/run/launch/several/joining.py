"""Join the results of several devices into the result of one launch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import attrs
import numpy as np

from porter.run.device.several import Part, Several, on_each
from porter.run.lacks import OPTIONS, Lack
from porter.run.launch.plan import Plan
from porter.run.limited import STATUSES, Limited
from porter.run.result import Result, Values
from porter.run.streams.groups import Stream
from porter.run.streams.joined import JoinedStream


def join(
    device: Several, parts: Sequence[Part], results: Sequence[Result], order: str, seconds: float
) -> Result:
    """Join results.

    Args:
        device: The devices.
        parts: The parts of the launch.
        results: The result of each part.
        order: The order of the launch's interpreters.
        seconds: Duration of the launch.
    """

    def stream(name: str) -> Stream:
        found = [getattr(result, name) for result in results]
        return JoinedStream(device, parts, found, max(each.size for each in found))

    def rows(name: str) -> np.ndarray[Any, Any]:
        return np.concatenate([getattr(result, name) for result in results])

    steps = on_each(parts, lambda k: results[k].steps)
    return Result(
        stream("stdout"),
        stream("stderr"),
        rows("status"),
        rows("exit_code"),
        rows("allocations"),
        seconds,
        any(result.interrupted for result in results),
        {**_longest([result.timings for result in results]), "launch": seconds},
        _values(device, parts, results),
        None if any(result.lost is None for result in results) else rows("lost"),
        _lacks(lack for result in results for lack in result.lacks),
        _limits(limited for result in results for limited in result.limited),
        np.concatenate(steps),
        order,
        refused=next((result.refused for result in results if result.refused), None),
        records=stream("records") if _all_have_records(results) else None,
    )


def _all_have_records(results: Sequence[Result]) -> bool:
    return all(result.records is not None for result in results)


def nothing(device: Several, plan: Plan, part: Part) -> Result:
    """Return the result of a part whose device failed: none of its interpreters ran."""
    n, launch = part.count, plan.launch
    silent = Stream(device, np.zeros((n, 0), np.uint64), np.zeros(n, np.uint32), 0)
    not_run = np.full(n, device.built.status["STATUS_NOT_RUN"], np.int32)
    values = Values(np.zeros(n, np.uint8), np.zeros(n, np.uint64)) if plan.phase.values else None
    lost = np.zeros(n, np.uint32) if launch.console == "ring" else None
    zeros = np.zeros(n, np.int32)
    return Result(
        silent,
        silent,
        not_run,
        zeros,
        zeros.astype(np.uint32),
        0.0,
        values=values,
        lost=lost,
        records=silent if plan.phase.records else None,
    )


def _longest(timings: Iterable[dict[str, float]]) -> dict[str, float]:
    """Return the maximum of each step's seconds, because devices work in parallel."""
    found: dict[str, float] = {}
    for each in timings:
        for name, seconds in each.items():
            found[name] = max(found.get(name, 0.0), seconds)
    return found


def _values(device: Several, parts: Sequence[Part], results: Sequence[Result]) -> Values | None:
    if any(result.values is None for result in results):
        return None

    def host(k: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        values, where = results[k].values, results[k].stdout.device
        assert values is not None
        return where.host(values.kind), where.host(values.bits)

    kinds, bits = zip(*on_each(parts, host), strict=True)
    return Values(np.concatenate(kinds), np.concatenate(bits))


def _lacks(lacks: Iterable[Lack]) -> tuple[Lack, ...]:
    """Merge lacks of the same size, with the maximum proposal.

    All interpreters have equal sizes, so the largest proposal suffices for all.
    """
    found: dict[str, Lack] = {}
    for lack in lacks:
        one = found.get(lack.option)
        if one is None:
            found[lack.option] = lack
            continue
        known = [enough for enough in (one.enough, lack.enough) if enough is not None]
        enough = max(known) if len(known) == 2 else None
        found[lack.option] = attrs.evolve(
            one, count=one.count + lack.count, enough=enough, moves=one.moves or lack.moves
        )
    return tuple(found[option] for option in OPTIONS.values() if option in found)


def _limits(limits: Iterable[Limited]) -> tuple[Limited, ...]:
    found: dict[str, Limited] = {}
    for limited in limits:
        one = found.get(limited.option)
        count = limited.count + (one.count if one else 0)
        found[limited.option] = attrs.evolve(limited, count=count)
    return tuple(found[option] for option in STATUSES if option in found)
