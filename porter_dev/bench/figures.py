"""Summarise repeated measurements: median and spread."""

from __future__ import annotations

import statistics
from collections.abc import Iterable

from attrs import asdict, frozen


@frozen
class Figure:
    """Seconds of several runs of the same work: median, minimum, maximum, number of runs."""

    median: float
    least: float
    most: float
    runs: int

    @classmethod
    def of(cls, seconds: Iterable[float]) -> Figure:
        """Summarise these runs; at least one."""
        values = list(seconds)
        return cls(statistics.median(values), min(values), max(values), len(values))

    def scaled(self, factor: float) -> Figure:
        """Return the figure of `factor` times the work, if its cost is proportional."""
        return Figure(self.median * factor, self.least * factor, self.most * factor, self.runs)

    def as_dict(self) -> dict[str, float]:
        """Return the fields for JSON."""
        return asdict(self)
