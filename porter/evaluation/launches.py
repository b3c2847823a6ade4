"""Launches of an evaluation: assign rows to interpreters, and run them."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from attrs import evolve, frozen

from porter.errors import LaunchFailed
from porter.evaluation.cases import Cases
from porter.evaluation.options import Judging
from porter.evaluation.patterns import Patterns
from porter.evaluation.portion import Portion
from porter.evaluation.shapes import whole_program, with_globals
from porter.run import Device, Launch, Result, run
from porter.run.launch.calls import Calls, DeviceCases
from porter.run.launch.options import Phase, Sizes
from porter.run.launch.order import independent_block
from porter.run.launch.shared_code import with_shared_code

NAME = "<program>"  # the file name in tracebacks; equal sources with equal names are compiled once
VALUE_SIZE = 256  # bytes kept of each result at first; rows with longer results run again
FEW = 1 << 15  # interpreters of a launch that does not wait for other launches on a GPU
ROWS_TOGETHER = 32  # rows per interpreter of the host twin, which is restored between rows


@frozen(eq=False)
class Work:
    """The interpreters of one launch, with their programs and rows.

    Attributes:
        which: The program of each interpreter.
        first_case: The first case of each interpreter.
        counts: The number of rows of each interpreter.
        rows: The portion's rows that these interpreters run, in order.
        renew: Whether the interpreter is restored before each row to its state after the program.
    """

    which: np.ndarray[Any, Any]
    first_case: np.ndarray[Any, Any]
    counts: np.ndarray[Any, Any]
    rows: np.ndarray[Any, Any]
    renew: bool = False

    @cached_property
    def programs(self) -> np.ndarray[Any, Any]:
        """The programs that interpreters have, ascending."""
        return np.flatnonzero(np.bincount(self.which))

    @cached_property
    def single(self) -> bool:
        """True if each interpreter has one row and none is restored."""
        return not self.renew and bool((self.counts == 1).all())

    @cached_property
    def first_row(self) -> np.ndarray[Any, Any]:
        """The first row of each interpreter, and the end of the last (uint32)."""
        if self.single:
            return np.arange(len(self.rows) + 1, dtype=np.uint32)
        return np.concatenate([[0], np.cumsum(self.counts)]).astype(np.uint32)

    @cached_property
    def case_of_row(self) -> np.ndarray[Any, Any]:
        """The case of each row (int64)."""
        if self.single:
            return self.first_case
        within = np.arange(len(self.rows)) - np.repeat(self.first_row[:-1], self.counts)
        found: np.ndarray[Any, Any] = np.repeat(self.first_case, self.counts) + within
        return found.astype(np.int64)

    @cached_property
    def of_row(self) -> np.ndarray[Any, Any]:
        """The interpreter of each row."""
        if self.single:
            return np.arange(len(self.which))
        return np.repeat(np.arange(len(self.which)), self.counts)

    def of(self, chosen: np.ndarray[Any, Any]) -> Work:
        """Select interpreters by index, ascending."""
        if len(chosen) == len(self.which):
            return self
        rows = self.rows[np.isin(self.of_row, chosen)]
        parts = (self.which[chosen], self.first_case[chosen], self.counts[chosen])
        return Work(*parts, rows, self.renew)

    def only(self, chosen: np.ndarray[Any, Any]) -> Work:
        """Select rows by index, ascending.

        Consecutive rows of an interpreter that is restored between rows stay together. Other rows
        have an interpreter each.
        """
        of_row, case = self.of_row[chosen], self.case_of_row[chosen]
        first = np.ones(len(chosen), bool)
        if self.renew:
            first[1:] = (np.diff(chosen) != 1) | (np.diff(of_row) != 0)
        starts = np.flatnonzero(first)
        counts = np.diff(np.append(starts, len(chosen)))
        which = self.which[of_row[starts]]
        return Work(which, case[starts], counts, self.rows[chosen], self.renew)

    def units(self, how: Judging) -> np.ndarray[Any, Any]:
        """Return the unit of each row: what a rerun repeats, a row or with each="program" an
        interpreter.
        """
        return np.arange(len(self.rows)) if how.each == "case" else self.of_row

    def of_units(self, how: Judging, units: np.ndarray[Any, Any]) -> Work:
        """Select units by index, ascending."""
        return self.only(units) if how.each == "case" else self.of(units)

    def apart(self, chosen: np.ndarray[Any, Any]) -> Work:
        """Select the rows of interpreters by index, and give each row its own interpreter."""
        part = self.of(chosen)
        which = np.repeat(part.which, part.counts)
        return Work(which, part.case_of_row, np.ones(len(which), np.int64), part.rows)


def _used(work: Work, count: int) -> tuple[np.ndarray[Any, Any] | None, np.ndarray[Any, Any]]:
    """Return the programs that interpreters have, None for all, and each interpreter's among them.

    Args:
        work: The interpreters.
        count: Number of programs.
    """
    used = work.programs
    if len(used) == count:
        return None, work.which
    numbers = np.empty(count, np.uint32)
    numbers[used] = np.arange(len(used))
    return used, numbers[work.which]


def work_of(portion: Portion, how: Judging, *, renew: bool) -> Work:
    """Assign the rows of a portion to interpreters: one per program, or one per row.

    Args:
        portion: The programs.
        how: The options.
        renew: Instead of one interpreter per row, restore an interpreter between rows.
    """
    count, most = len(portion.sources), int(portion.counts.max(initial=0))
    apart = how.each == "case" and not renew and portion.cases.texts is None
    if apart and (portion.counts == most).all() and not portion.first_case.any():
        return _alike(count, most)
    programs = np.arange(count, dtype=np.uint32)
    whole = Work(programs, portion.first_case, portion.counts, np.arange(portion.rows))
    if how.each == "program" and portion.cases.texts is None:
        return whole
    if not renew or portion.cases.texts is not None:
        return whole.apart(np.arange(len(programs)))
    parts = -(-portion.counts // ROWS_TOGETHER)
    part = np.arange(int(parts.sum())) - np.repeat(np.cumsum(parts) - parts, parts)
    counts = np.minimum(np.repeat(portion.counts, parts) - part * ROWS_TOGETHER, ROWS_TOGETHER)
    first_case = np.repeat(portion.first_case, parts) + part * ROWS_TOGETHER
    return Work(np.repeat(programs, parts), first_case, counts, whole.rows, renew=True)


@lru_cache(maxsize=2)
def _alike(programs: int, cases: int) -> Work:
    """Return an interpreter for each of the same cases of each program.

    Portions of one size have one object, whose arrays are computed and copied to a GPU once.
    """
    rows = programs * cases
    which = np.repeat(np.arange(programs, dtype=np.uint32), cases)
    first_case = np.tile(np.arange(cases), programs)
    found = Work(which, first_case, np.ones(rows, np.int64), np.arange(rows))
    for array in (which, first_case, found.counts, found.rows):
        array.flags.writeable = False
    return found


# The first case and the first row of each interpreter, on a device.
_Numbers = tuple[Any, Any]
_numbers: WeakKeyDictionary[Work, WeakKeyDictionary[Device, _Numbers]] = WeakKeyDictionary()


def _numbers_on(device: Device, work: Work) -> _Numbers:
    """Return the numbers of `work` on a device, kept there as long as both objects live."""
    found = _numbers.setdefault(work, WeakKeyDictionary())
    if device not in found:
        first_case = device.array(work.first_case.astype(np.uint32))
        first_row = device.array(work.first_row)
        device.finish()  # other threads use them
        found[device] = (first_case, first_row)
    return found[device]


def launch(
    device: Device,
    portion: Portion,
    how: Judging,
    work: Work,
    value_size: int | None,
    *,
    records: bool = False,
) -> Result:
    """Run `work`.

    Args:
        device: The device.
        portion: The programs.
        how: The options.
        work: The interpreters.
        value_size: Bytes kept of each result; None: results are not kept.
        records: Keep the exceptions of calls, even if `how` does not.

    Raises:
        NotEnoughMemory: The interpreters do not fit.
        LaunchFailed: The device failed, or interpreters did not run.
        UsageError: An option is invalid.
        LaunchInterrupted: Ctrl-C came.
    """
    options: dict[str, Any] = {**how.sizes}
    options |= how.limits(portion.first, len(portion.sources), work.which)
    spec = Launch(
        **options,
        stdout=how.buffer if "outputs" in how.keep else 0,
        stderr=how.stdout if "stderr" in how.keep else None if "tracebacks" in how.keep else 0,
        seed=how.seed,
        sandbox=True,
        alike=True,
        total=1,
        block=independent_block(device, len(work.which)),  # interpreters that are alike see none
        clock=how.clock,
        order=True,
        cancel=how.cancel,
    )
    if how.files is not None:
        image = device.array(np.frombuffer(how.files.data, np.uint8))
        spec = evolve(spec, fs=image, fs_shared=True, fs_block=how.files.block_size)
    # A launch of a few rows needs the programs of these rows only.
    used, which = _used(work, len(portion.sources))
    sources = portion.sources
    if used is not None:
        sources = tuple([sources[program] for program in used.tolist()])
    entry = how.entry
    if portion.cases.texts is not None:
        texts = portion.cases.texts
        spec = evolve(spec, stdin=[texts[case].stdin for case in work.case_of_row.tolist()])
        sources = tuple(whole_program(source) for source in sources)
    else:
        sources, entry = with_globals(sources, entry)
    calls = Calls(
        entry,
        uploaded(device, portion.cases, compares=how.function is None).cases,
        len(work.rows),
        *_numbers_on(device, work),
        how.tolerance,
        value_size,
        work.renew,
    )
    programs = with_shared_code(device, sources, NAME, Sizes(**how.sizes), how.cancel)
    phase = Phase(
        stop=False,
        calls=calls,
        records=records or how.wants_records,
        urgent=len(work.which) < FEW,
    )
    which = which.astype(np.uint32, copy=False)
    result = run(device, programs, len(which), spec, phase, program_of=which)
    result.raise_unless_started("heap")
    statuses = result.statuses
    names = ("STATUS_NOT_RUN", "STATUS_NO_MEMORY", "STATUS_MOVED", "NOT_STARTED")
    if found := statuses.tally(result.status[statuses.among(result.status, *names)]):
        kinds = ", ".join(f"{statuses.name_of(status)} {count}x" for status, count in found.items())
        raise LaunchFailed(f"interpreters did not run: {kinds}")
    return result


@frozen(eq=False)
class Uploaded:
    """Cases on a device.

    Attributes:
        cases: Arguments, and patterns of expected values if interpreters compare.
        refused: Which cases interpreters do not compare (bool[cases], on the host; Patterns).
    """

    cases: DeviceCases
    refused: np.ndarray[Any, Any]


# Keyed by cases, device, and whether interpreters compare.
_kept: WeakKeyDictionary[Cases, WeakKeyDictionary[Device, dict[bool, Uploaded]]] = (
    WeakKeyDictionary()
)


def uploaded(device: Device, cases: Cases, *, compares: bool) -> Uploaded:
    """Return the cases on the device, cached there as long as both objects live."""
    found = _kept.setdefault(cases, WeakKeyDictionary()).setdefault(device, {})
    if compares not in found:
        if compares:
            patterns = Patterns.of(cases, single=device.built.config.get("float") == "single")
        else:
            patterns = Patterns(b"", cases.expected_offsets, np.zeros(len(cases), bool))
        on_device = DeviceCases(
            device.array(np.frombuffer(cases.arguments, np.uint8)),
            device.array(cases.argument_offsets.astype(np.uint64)),
            device.array(np.frombuffer(patterns.data, np.uint8)),
            device.array(patterns.offsets.astype(np.uint64)),
        )
        device.finish()  # other threads use them
        found[compares] = Uploaded(on_device, patterns.refused)
    return found[compares]
