"""Run long rows apart: a launch on a GPU does not last as long as its longest row.

A lane takes about a million steps per second, a core fifty times as many, but a GPU has thousands
of lanes. So a GPU runs all rows with a small limit of steps first. The rows that reach it start
again: on the host twin if they are few, else on the GPU with a larger limit. Every row ends by the
caller's limits in its last run, and results do not depend on the device.

A row that starts again costs its first limit of steps once more, a sixteenth or less of what the
next run allows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import numpy as np
from attrs import evolve

from porter.evaluation.launches import Work
from porter.evaluation.options import Judging
from porter.evaluation.portion import Portion
from porter.evaluation.status import CaseStatus
from porter.evaluation.twins import device_for_few, has_twin
from porter.run import Device
from porter.run.launch.limits import Each

LIMITS = (1 << 18, 1 << 22)  # steps of the runs on a GPU before the caller's limit applies


class StagedRows(Protocol):
    """The rows of a launch, as `judgement` reads them back."""

    @property
    def status(self) -> np.ndarray[Any, Any]:
        """CaseStatus of each row (int8)."""

    def replace(self, rows: np.ndarray[Any, Any], others: Any) -> None:
        """Replace these `rows` by `others`."""


R = TypeVar("R", bound=StagedRows)


def run_in_stages(
    device: Device,
    portion: Portion,
    how: Judging,
    work: Work,
    run: Callable[[Device, Judging, Work], R],
) -> R:
    """Run `work`, and return its rows.

    Args:
        device: The device.
        portion: The programs.
        how: The options.
        work: The interpreters.
        run: Launches interpreters of the portion.
    """
    staged = device.on_gpu and has_twin(device)
    if not staged or not _exceeds(portion, how, work, LIMITS[0]).any():
        return run(device, how, work)
    rows = run(device, _limited(how, LIMITS[0]), work)
    unit_of_row = work.units(how)
    ended = LIMITS[0]
    for limit in (*LIMITS[1:], None):
        long = (rows.status == CaseStatus.OUT_OF_STEPS) & _exceeds(portion, how, work, ended)
        units = np.unique(unit_of_row[long])
        if not len(units):
            return rows
        again = np.flatnonzero(np.isin(unit_of_row, units))
        part = work.of_units(how, units)
        few = device_for_few(device, len(units))
        if few is not device:
            rows.replace(again, run(few, how, part))
            return rows
        rows.replace(again, run(device, how if limit is None else _limited(how, limit), part))
        ended = limit or ended
    return rows


def _exceeds(portion: Portion, how: Judging, work: Work, limit: int) -> np.ndarray[Any, Any]:
    """Return for each row whether the caller's limit of steps is larger than `limit`."""
    own = how.limits(portion.first, len(portion.sources), work.which)["max_steps"]
    if not isinstance(own, Each):
        return np.full(len(work.rows), own is None or own > limit)
    values = own.values[work.of_row]
    found: np.ndarray[Any, Any] = (values == 0) | (values > limit)
    return found


def _limited(how: Judging, limit: int) -> Judging:
    """Return the options with at most `limit` steps."""
    steps = how.steps
    if not isinstance(steps, Each):
        return evolve(how, steps=limit if steps is None else min(steps, limit))
    values = np.where(steps.values == 0, limit, np.minimum(steps.values, limit))
    return evolve(how, steps=Each(values.astype(np.uint64)))
