"""Judging one portion of programs on one device."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
from attrs import evolve, field, frozen

from porter.errors import LaunchFailed
from porter.evaluation import kept
from porter.evaluation.cases import Cases
from porter.evaluation.judging import Judging
from porter.evaluation.portion import Portion
from porter.evaluation.status import CaseStatus, case_statuses
from porter.run import Device, Launch, Program, Result, run
from porter.run.launch.calls import Calls, DeviceCases
from porter.run.launch.spec import Phase

NAME = "<program>"  # what tracebacks call every program; equal texts are compiled once
VALUE_SIZE = 256  # bytes kept of each result at first; rows with longer ones run again


@frozen(eq=False)
class Judgement:
    """What became of a portion's rows: a row for each case of each program, in this order.

    first: index of the portion's first program. counts: rows of each program (int64). status:
    CaseStatus (int8). steps: int64. outputs (bytes), values and tracebacks (str; None where there
    is none): lists with an element for each row, where they were asked for. It can be pickled
    where the values can.
    """

    first: int
    counts: np.ndarray[Any, Any] = field(repr=False)
    status: np.ndarray[Any, Any] = field(repr=False)
    steps: np.ndarray[Any, Any] = field(repr=False)
    outputs: list[bytes] | None = field(default=None, repr=False)
    values: list[Any] | None = field(default=None, repr=False)
    tracebacks: list[str | None] | None = field(default=None, repr=False)


@frozen(eq=False)
class _Work:
    """Interpreters of one launch: of each its program, its first case and how many it has."""

    which: np.ndarray[Any, Any]
    first_case: np.ndarray[Any, Any]
    counts: np.ndarray[Any, Any]

    @property
    def first_row(self) -> np.ndarray[Any, Any]:
        """Where each one's rows begin, and the end of the last (uint32)."""
        return np.concatenate([[0], np.cumsum(self.counts)]).astype(np.uint32)

    def of(self, chosen: np.ndarray[Any, Any]) -> _Work:
        """Those with these indices."""
        return _Work(self.which[chosen], self.first_case[chosen], self.counts[chosen])


def judge(device: Device, portion: Portion, how: Judging) -> Judgement:
    """Run the programs of `portion` on `device` and compare what they return.

    The answer depends on nothing but the arguments, unless `how` has a deadline. Raises
    NotEnoughMemory, LaunchFailed, UsageError; LaunchInterrupted after Ctrl-C; and what a function
    that compares raises.
    """
    work = _work(portion, how)
    size = VALUE_SIZE if how.wants_values else None
    result = _launch(device, portion, how, work, size)
    assert result.calls is not None
    status = _statuses(device, how, result)
    values = None
    if how.wants_values:
        returned = _values(device, portion, how, work, result)
        values = returned.values
        if how.function is not None:
            status[(status == CaseStatus.WRONG) & ~returned.there] = CaseStatus.OUT_OF_MEMORY
            _compare(portion, how, status, values)
    keeps = how.keep
    return Judgement(
        portion.first,
        portion.counts,
        status,
        device.host(result.calls.steps).astype(np.int64),
        kept.texts(result.stdout) if "outputs" in keeps else None,
        values if "values" in keeps else None,
        kept.tracebacks(result.stderr, status, work.first_row) if "tracebacks" in keeps else None,
    )


def _work(portion: Portion, how: Judging) -> _Work:
    """An interpreter for each row, or for each program."""
    programs = np.arange(len(portion.sources), dtype=np.uint32)
    if how.each == "program":
        return _Work(programs, portion.first_case, portion.counts)
    which = np.repeat(programs, portion.counts)
    starts = np.cumsum(portion.counts) - portion.counts
    within = np.arange(len(which)) - np.repeat(starts, portion.counts)
    first_case = np.repeat(portion.first_case, portion.counts) + within
    return _Work(which, first_case, np.ones(len(which), np.int64))


def _launch(
    device: Device, portion: Portion, how: Judging, work: _Work, value_size: int | None
) -> Result:
    keep_text = "outputs" in how.keep
    options: dict[str, Any] = {**how.sizes}
    options |= how.limits(portion.first, len(portion.sources), work.which)
    launch = Launch(
        **options,
        stdout=how.stdout if keep_text else 0,
        stderr=None if "tracebacks" in how.keep else 0,
        seed=how.seed,
        sandbox=True,
        alike=True,
        total=1,
        clock=how.clock,
        order=True,
    )
    if how.files is not None:
        image = device.array(np.frombuffer(how.files.data, np.uint8))
        launch = evolve(launch, fs=image, fs_shared=True, fs_block=how.files.block_size)
    calls = Calls(
        how.entry,
        _uploaded(device, portion.cases, compares=how.function is None),
        work.first_case.astype(np.uint32),
        work.first_row,
        how.tolerance,
        value_size,
    )
    programs = [Program(source, NAME) for source in portion.sources]
    phase = Phase(stop=False, calls=calls)
    result = run(device, programs, len(work.which), launch, phase, program_of=work.which)
    result.raise_unless_started("heap")
    if found := result.statuses.tally(result.status[_never_began(result)]):
        names = ", ".join(f"{result.statuses.name_of(status)} {k}x" for status, k in found.items())
        raise LaunchFailed(f"interpreters did not run: {names}")
    return result


def _never_began(result: Result) -> np.ndarray[Any, Any]:
    names = ("STATUS_NOT_RUN", "STATUS_NO_MEMORY", "STATUS_MOVED", "NOT_STARTED")
    return result.statuses.among(result.status, *names)


_kept_cases: weakref.WeakKeyDictionary[Cases, dict[tuple[int, bool], DeviceCases]] = (
    weakref.WeakKeyDictionary()
)


def _uploaded(device: Device, cases: Cases, *, compares: bool) -> DeviceCases:
    """The cases on the device, where they stay as long as both live."""
    found = _kept_cases.setdefault(cases, {})
    key = (id(device), compares)
    if key not in found:
        expected = cases.expected if compares else b""
        found[key] = DeviceCases(
            device.array(np.frombuffer(cases.arguments, np.uint8)),
            device.array(cases.argument_offsets.astype(np.uint64)),
            device.array(np.frombuffer(expected, np.uint8)),
            device.array(cases.expected_offsets.astype(np.uint64)),
        )
        weakref.finalize(device, found.pop, key, None)
    return found[key]


def _statuses(device: Device, how: Judging, result: Result) -> np.ndarray[Any, Any]:
    rows = result.calls
    assert rows is not None
    return case_statuses(
        result.statuses,
        device.host(rows.status),
        device.host(rows.equal) != 0,
        device.host(rows.lack) != int(device.built.lack["NOTHING"]),
        device.host(result.stdout.lengths) > how.stdout,
    )


def _values(
    device: Device, portion: Portion, how: Judging, work: _Work, result: Result
) -> kept.Returned:
    """What each row returned; longer values come from a second run, for every run is the same."""
    assert result.calls is not None
    once = kept.values(device, result.calls)
    lengths = once.lengths
    if not (lengths > VALUE_SIZE).any():
        return once
    of_row = np.repeat(np.arange(len(work.which)), work.counts)
    again = np.unique(of_row[lengths > VALUE_SIZE])
    size = -(-int(lengths.max()) // 8) * 8
    longer = _launch(device, portion, how, work.of(again), size)
    assert longer.calls is not None
    found = kept.values(device, longer.calls)
    rows = np.flatnonzero(np.isin(of_row, again))
    for row, value in zip(rows.tolist(), found.values, strict=True):
        once.values[row] = value
    once.there[rows] = found.there
    return once


def _compare(
    portion: Portion, how: Judging, status: np.ndarray[Any, Any], values: list[Any]
) -> None:
    """Let the caller's function say which of the returned values are right."""
    assert how.function is not None
    which = np.repeat(portion.first_case, portion.counts)
    starts = np.repeat(np.cumsum(portion.counts) - portion.counts, portion.counts)
    cases = which + np.arange(len(which)) - starts
    for row in np.flatnonzero(status == CaseStatus.WRONG).tolist():
        if how.function(values[row], portion.cases.expected_value(int(cases[row]))):
            status[row] = CaseStatus.PASSED
