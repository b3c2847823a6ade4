"""Rerun rows that ran out of memory in interpreters with more memory.

Input: the finished rows of a portion, with the resource that each failed row lacked. Output: the
rows after runs with four times as much heap, frame stack or C stack, and the sizes that were tried.
A row that caught the exception, and did not pass, runs again too.
`judgement` calls `rerun_larger`, which launches through a function of its caller. `execution` calls
`suited` to choose the device for the sizes that an evaluation begins with.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, Self

import numpy as np
from attrs import define, evolve, field, frozen

from porter.base.sizes import format_size
from porter.config import LOCAL_MEMORY_LIMIT, SIZE_BOUNDS
from porter.errors import NotEnoughMemory
from porter.evaluation.batch_size import rows_at_once, sizes_of
from porter.evaluation.launches import Work
from porter.evaluation.options import Judging
from porter.evaluation.status import CaseStatus
from porter.evaluation.twins import device_for_few, twin_of
from porter.run import Device
from porter.run.advice import OPTIONS, WORDS
from porter.run.launch.plan import check_local, footprint, free

FACTOR = 4  # a rerun has this many times as much of the resource that was too small
# Ends of a program that caught a MemoryError or RecursionError and might pass with more memory.
_CAUGHT = [
    int(one)
    for one in (
        CaseStatus.WRONG,
        CaseStatus.RAISED,
        CaseStatus.EXITED,
        CaseStatus.NOT_COMPARED,
        CaseStatus.OUT_OF_OUTPUT,
    )
]
Launched = Callable[[Device, Judging, Work], "FailedRows"]


class FailedRows(Protocol):
    """The rows of a launch, as `judgement` reads them back."""

    @property
    def status(self) -> np.ndarray[Any, Any]:
        """CaseStatus of each row (int8)."""

    @property
    def lack(self) -> np.ndarray[Any, Any]:
        """The resource that each row lacked, by Built.lack (uint8); with CAUGHT: at some time."""

    def replace(self, rows: np.ndarray[Any, Any], others: Any) -> None:
        """Replace these `rows` by `others`."""


@frozen
class InterpreterSizes:
    """Bytes of heap, frame stack and C stack of an interpreter."""

    heap: int
    pystack: int
    stack: int

    @classmethod
    def of(cls, device: Device, how: Judging) -> Self:
        """Return the sizes that `how` chooses, with the build's defaults."""
        return cls(**{name: _chosen(device, how, name) for name in OPTIONS.values()})

    def larger(self, option: str, max_heap: int) -> Self | None:
        """Return sizes with FACTOR times as much of `option`; None at its maximum.

        Args:
            option: heap, pystack or stack.
            max_heap: Maximum bytes of the heap.
        """
        had = getattr(self, option)
        most = max_heap if option == "heap" else SIZE_BOUNDS[option].high
        size = min(FACTOR * had, most) // 16 * 16
        return evolve(self, **{option: size}) if size > had else None

    def as_dict(self) -> dict[str, int | str | None]:
        """Return the sizes by the names of options."""
        return {name: getattr(self, name) for name in OPTIONS.values()}

    def __str__(self) -> str:
        sizes = {name: format_size(getattr(self, name)) for name in OPTIONS.values()}
        return ", ".join(f"{name} {size}" for name, size in sizes.items())


def _chosen(device: Device, how: Judging, name: str) -> int:
    return int(how.sizes.get(name, device.built.config[name]))


def rerun_larger(
    device: Device, how: Judging, work: Work, rows: FailedRows, run: Launched
) -> dict[int, str]:
    """Run the rows of `work` that lacked memory again, with more of it, until they do not lack it.

    The larger sizes are FACTOR times the smaller ones, up to `how.max_heap` and the maxima of
    SIZE_BOUNDS. Replaced rows are results of the last run. With each="program" a rerun makes all
    calls of the program again, because later calls see the effects of earlier ones.

    Args:
        device: The device.
        how: The options.
        work: The interpreters of the first launch, with all rows in order.
        rows: The rows of the first launch; replaced rows are changed in place.
        run: Launches some interpreters of `work`.

    Returns:
        The sizes that were tried for each row that is OUT_OF_MEMORY in the end, by row.
    """
    if not _lacking(rows, caught_bit(device)).any():
        return {}
    growth = _Growth(device, how, work, rows)
    growth.schedule(np.arange(len(rows.status)), InterpreterSizes.of(device, how))
    while growth.waiting:
        sizes = min(growth.waiting, key=lambda one: (one.heap, one.pystack, one.stack))
        growth.rerun(np.array(sorted(growth.waiting.pop(sizes))), sizes, run)
    return growth.reasons()


def caught_bit(device: Device) -> int:
    """Return the bit of Built.lack of a row that ran out of memory and caught the exception."""
    return int(device.built.lack["CAUGHT"])


def _lacking(rows: FailedRows, caught: int) -> np.ndarray[Any, Any]:
    """Return which rows ran out of memory, whether they caught the exception or not (bool)."""
    found: np.ndarray[Any, Any] = rows.status == CaseStatus.OUT_OF_MEMORY
    noted = rows.lack & caught != 0
    if noted.any():
        found |= noted & np.isin(rows.status, _CAUGHT)
    return found


@define(eq=False)
class _Growth:
    """The reruns of one portion.

    A unit is what a rerun repeats: a row, or with each="program" an interpreter. It has a number.

    Attributes:
        device: The device of the first launch.
        how: The options.
        work: The interpreters of the first launch.
        rows: The rows, which reruns replace.
        options: The option that sets each resource, by the resource's value of Built.lack.
        caught: The bit of Built.lack of a row that caught the exception.
        unit_of_row: The unit of each row.
        waiting: The units to run next, by their sizes.
        tried: The sizes of each unit's runs.
        notes: Why a unit cannot run with larger sizes.
    """

    device: Device
    how: Judging
    work: Work
    rows: FailedRows
    options: dict[int, str] = field(init=False)
    caught: int = field(init=False)
    unit_of_row: np.ndarray[Any, Any] = field(init=False)
    waiting: dict[InterpreterSizes, list[int]] = field(factory=dict, init=False)
    tried: dict[int, list[InterpreterSizes]] = field(factory=dict, init=False)
    notes: dict[int, str] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        """Compute what does not change between reruns."""
        lack, work = self.device.built.lack, self.work
        self.options = {int(lack[name]): option for name, option in OPTIONS.items()}
        self.caught = caught_bit(self.device)
        self.unit_of_row = work.units(self.how)

    def option(self, row: int) -> str:
        """Return the option that was too small for `row`; a value that does not fit needs heap."""
        return self.options.get(int(self.rows.lack[row]) & ~self.caught, "heap")

    def schedule(self, among: np.ndarray[Any, Any], sizes: InterpreterSizes) -> None:
        """Schedule the next run of the units whose rows `among` lacked memory at `sizes`."""
        lacking = among[_lacking(self.rows, self.caught)[among]]
        units, places = np.unique(self.unit_of_row[lacking], return_index=True)
        for unit, row in zip(units.tolist(), lacking[places].tolist(), strict=True):
            self.tried.setdefault(unit, []).append(sizes)
            more = sizes.larger(self.option(row), self.how.max_heap)
            if more is not None and self.how.max_heap:
                self.waiting.setdefault(more, []).append(unit)

    def rerun(self, units: np.ndarray[Any, Any], sizes: InterpreterSizes, run: Launched) -> None:
        """Run `units` at `sizes`, and schedule the next run of units that still lack memory."""
        larger = evolve(self.how, sizes=sizes.as_dict())
        try:
            device = suited(self.device, larger)
            most = rows_at_once(device, larger)
            for at in range(0, len(units), most):
                part = self.work.of_units(self.how, units[at : at + most])
                on = device_for_few(device, len(part.which))
                self.rows.replace(part.rows, run(on, larger, part))
                self.schedule(part.rows, sizes)
        except NotEnoughMemory as error:
            for unit in units.tolist():
                if sizes not in self.tried[unit]:
                    self.notes[unit] = f"; {sizes} do not fit: {error}"

    def reasons(self) -> dict[int, str]:
        """Return the sizes that were tried for each row that lacked memory in the end."""
        found = {}
        for row in np.flatnonzero(self.rows.status == CaseStatus.OUT_OF_MEMORY).tolist():
            unit, option = int(self.unit_of_row[row]), self.option(row)
            sizes = dict.fromkeys(getattr(one, option) for one in self.tried[unit])
            text = ", ".join(map(format_size, sizes))
            found[row] = f"out of {WORDS[option]}: tried {text}{self.notes.get(unit, '')}"
        return found


def suited(device: Device, how: Judging) -> Device:
    """Return the device that runs interpreters of the sizes in `how`.

    A GPU with local arenas has at most 512 KiB of local memory per thread, which hold arena and C
    stack. Interpreters that exceed it run on the host twin of the same build, which gives equal
    results, if the build has one.

    Raises:
        NotEnoughMemory: The interpreters do not fit, and the build has no host twin.
    """
    if not device.local:
        return device
    need = footprint(device, sizes_of(how), arena_needed=True, records=how.wants_records)
    fits = need.local <= LOCAL_MEMORY_LIMIT and need.stack <= device.built.config["stack"]
    if fits and free(device, need).left >= need.each:
        return device
    twin = twin_of(device)
    if twin is None:
        check_local(device, need)
        free(device, need).check(1, need.each, "--heap")
        return device
    return twin
