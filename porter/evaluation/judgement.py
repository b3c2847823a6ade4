"""Judging one portion of programs on one device."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import field, frozen

from porter.evaluation import kept
from porter.evaluation.judging import Judging
from porter.evaluation.launching import VALUE_SIZE, Work, launch, uploaded, work_of
from porter.evaluation.portion import Portion
from porter.evaluation.status import NOT_COMPARED, CaseStatus, case_statuses
from porter.run import Device, Result


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


def judge(device: Device, portion: Portion, how: Judging) -> Judgement:
    """Run the programs of `portion` on `device` and compare what they return.

    The answer depends on nothing but the arguments, unless `how` has a deadline or the machine's
    clock. Raises NotEnoughMemory, LaunchFailed, UsageError; LaunchInterrupted after Ctrl-C; and
    what a function that compares raises.
    """
    # A thread of the host twin boots and compiles for each interpreter that it runs; renewing one
    # is a copy of some kilobytes.
    work = work_of(portion, how, renew=not device.on_gpu)
    rows, broken = _rows(device, portion, how, work)
    if work.renew and broken.any():
        # What ended an interpreter ended its later rows too, which it would not do to others.
        apart = work.apart(np.flatnonzero(broken))
        again, _ = _rows(device, portion, how, apart)
        rows.replace(apart.rows, again)
    if how.function is not None:
        _compare(portion, how, rows)
    keeps = how.keep
    return Judgement(
        portion.first,
        portion.counts,
        rows.status,
        rows.steps,
        rows.outputs if "outputs" in keeps else None,
        rows.values if "values" in keeps else None,
        rows.tracebacks if "tracebacks" in keeps else None,
    )


@frozen(eq=False)
class _Left:
    """Rows as they came from interpreters; lists are empty where they were not asked for."""

    status: np.ndarray[Any, Any]
    steps: np.ndarray[Any, Any]
    outputs: list[bytes]
    values: list[Any]
    tracebacks: list[str | None]

    def replace(self, rows: np.ndarray[Any, Any], others: _Left) -> None:
        """`others` instead of these `rows`."""
        self.status[rows] = others.status
        self.steps[rows] = others.steps
        lists: tuple[tuple[list[Any], list[Any]], ...] = (
            (self.outputs, others.outputs),
            (self.values, others.values),
            (self.tracebacks, others.tracebacks),
        )
        for old, new in lists:
            for row, one in zip(rows.tolist() if new else (), new, strict=True):
                old[row] = one


def _rows(
    device: Device, portion: Portion, how: Judging, work: Work
) -> tuple[_Left, np.ndarray[Any, Any]]:
    """The rows of one launch, and which of its interpreters broke (bools)."""
    result = launch(device, portion, how, work, VALUE_SIZE if how.wants_values else None)
    assert result.calls is not None
    status = _statuses(device, portion, how, work, result)
    values: list[Any] = []
    if how.wants_values:
        returned = _values(device, portion, how, work, result)
        values = returned.values
        if how.function is not None:
            status[(status == CaseStatus.WRONG) & ~returned.there] = CaseStatus.OUT_OF_MEMORY
    rows = _Left(
        status,
        device.host(result.calls.steps).astype(np.int64),
        kept.texts(result.stdout) if "outputs" in how.keep else [],
        values,
        kept.tracebacks(result.stderr, status, work.first_row) if "tracebacks" in how.keep else [],
    )
    return rows, result.statuses.where_broken(result.status)


def _statuses(
    device: Device, portion: Portion, how: Judging, work: Work, result: Result
) -> np.ndarray[Any, Any]:
    rows = result.calls
    assert rows is not None
    refused = uploaded(device, portion.cases, compares=how.function is None).refused
    status = case_statuses(
        result.statuses,
        device.host(rows.status),
        np.where(refused[work.case_of_row], NOT_COMPARED, device.host(rows.equal)),
        device.host(rows.lack) != int(device.built.lack["NOTHING"]),
        device.host(result.stdout.lengths) > how.stdout,
    )
    # What wrote past its arena may have done so in any of the rows.
    damaged = result.statuses.among(result.status, "STATUS_CANARY")
    status[damaged[work.of_row]] = CaseStatus.BROKEN
    return status


def _values(
    device: Device, portion: Portion, how: Judging, work: Work, result: Result
) -> kept.Returned:
    """What each row returned; longer values come from a second run, for every run is the same."""
    assert result.calls is not None
    once = kept.values(device, result.calls)
    longer = once.lengths > VALUE_SIZE
    if not longer.any():
        return once
    again = np.unique(work.of_row[longer])
    size = -(-int(once.lengths.max()) // 8) * 8
    second = launch(device, portion, how, work.of(again), size)
    assert second.calls is not None
    found = kept.values(device, second.calls)
    rows = np.flatnonzero(np.isin(work.of_row, again))
    for row, value in zip(rows.tolist(), found.values, strict=True):
        once.values[row] = value
    once.there[rows] = found.there
    return once


def _compare(portion: Portion, how: Judging, rows: _Left) -> None:
    """Let the caller's function say which of the returned values are right."""
    assert how.function is not None
    starts = np.repeat(np.cumsum(portion.counts) - portion.counts, portion.counts)
    cases = np.repeat(portion.first_case, portion.counts) + np.arange(portion.rows) - starts
    for row in np.flatnonzero(rows.status == CaseStatus.WRONG).tolist():
        expected = portion.cases.expected_value(int(cases[row]))
        if how.function(rows.values[row], expected):
            rows.status[row] = CaseStatus.PASSED
