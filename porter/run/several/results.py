"""Results and output streams of several devices, joined into those of one launch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import attrs
import numpy as np

from porter.run.advice import OPTIONS, STATUSES, Lack, Limited
from porter.run.device.base import Device
from porter.run.launch.plan import LaunchPlan
from porter.run.result import Result, Values
from porter.run.several.device import Part, on_each
from porter.run.streams.groups import Distinct, Rows, Stream, group_rows


def join(
    device: Device, parts: Sequence[Part], results: Sequence[Result], order: str, seconds: float
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
    allocations = on_each(parts, lambda k: results[k].allocations)
    return Result(
        stream("stdout"),
        stream("stderr"),
        rows("status"),
        rows("exit_code"),
        np.concatenate(allocations),
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


def nothing(plan: LaunchPlan, part: Part) -> Result:
    """Return the result of a part whose device failed: none of its interpreters ran."""
    device, n, launch = plan.device, part.count, plan.launch
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


def _values(device: Device, parts: Sequence[Part], results: Sequence[Result]) -> Values | None:
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


class JoinedStream(Stream):
    """The streams of `parts`, in their order. Each stays on its device until rows are read."""

    parts: tuple[Part, ...]
    streams: tuple[Stream, ...]

    def __init__(
        self, device: Device, parts: Sequence[Part], streams: Sequence[Stream], size: int
    ) -> None:
        found = {"device": device, "size": size, "parts": tuple(parts), "streams": tuple(streams)}
        self.__dict__.update(found)  # bypasses the frozen class's constructor

    @cached_property
    def words(self) -> np.ndarray[Any, Any]:
        """All rows, copied to the host."""
        found = self._each(lambda stream: _wide(stream.device.host(stream.words), self.size // 8))
        return np.concatenate(found)

    @cached_property
    def lengths(self) -> np.ndarray[Any, Any]:
        """Bytes that each interpreter wrote, on the host."""
        return np.concatenate(self._each(lambda stream: stream.device.host(stream.lengths)))

    def __len__(self) -> int:
        return sum(part.count for part in self.parts)

    def _row(self, index: int) -> bytes:
        for part, stream in zip(self.parts, self.streams, strict=True):
            if index < part.first + part.count:
                with part.device.here():
                    return stream[index - part.first]
        raise AssertionError("the caller has checked the index")

    def of(self, which: np.ndarray[Any, Any]) -> Stream:
        """Return the stream of the interpreters `which` (indices), as a copy on the host."""
        which = np.asarray(which)
        words = np.zeros((len(which), self.size // 8), np.uint64)
        lengths = np.zeros(len(which), np.uint32)
        for part, stream in zip(self.parts, self.streams, strict=True):
            here = np.flatnonzero((which >= part.first) & (which < part.first + part.count))
            if len(here):
                with part.device.here():
                    some = stream.of(which[here] - part.first)
                    words[here] = _wide(stream.device.host(some.words), words.shape[1])
                    lengths[here] = stream.device.host(some.lengths)
        return Stream(self.device, words, lengths, self.size)

    @cached_property
    def longest(self) -> int:
        """The maximum bytes that an interpreter wrote."""
        return max(self._each(lambda stream: stream.longest), default=0)

    @cached_property
    def cut(self) -> np.ndarray[Any, Any]:
        """Which interpreters wrote more than was kept (n bools, numpy)."""
        return np.concatenate(self._each(lambda stream: stream.cut))

    def distinct(self, columns: int) -> Distinct:
        """Group outputs on each device, then merge the groups of all devices."""
        found = self._each(lambda stream: stream.distinct(columns))
        words = np.concatenate([_wide(each.words, columns) for each in found])
        lengths = np.concatenate([each.lengths for each in found])
        rows = group_rows(words, lengths)
        counts = np.zeros(len(rows.count), np.int64)
        np.add.at(counts, rows.group_of, np.concatenate([each.rows.count for each in found]))
        every = list(zip(self.parts, found, strict=True))
        examples = np.concatenate([part.first + each.rows.example for part, each in every])
        firsts = np.concatenate([part.first + each.rows.first for part, each in every])
        # The first of equal rows is in the first part, so its example is the minimum of all.
        of_example = np.zeros(len(firsts), np.int64)
        of_example[examples] = examples[rows.first]
        merged = Rows(examples[rows.example], counts, of_example[firsts])
        return Distinct(words[rows.example], lengths[rows.example], merged)

    def _each(self, work: Any) -> list[Any]:
        return on_each(self.parts, lambda k: work(self.streams[k]))


def _wide(words: np.ndarray[Any, Any], columns: int) -> np.ndarray[Any, Any]:
    """Pad rows to `columns` words; rows of a failed device have none."""
    missing = columns - words.shape[1]
    return np.pad(words, ((0, 0), (0, missing))) if missing else words
