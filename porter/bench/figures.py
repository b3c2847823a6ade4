"""What a measurement leaves: medians with their spread."""

from __future__ import annotations

import statistics
from collections.abc import Iterable

from attrs import asdict, frozen


@frozen
class Figure:
    """Seconds of several runs of one piece of work: median, least, most, how many runs."""

    median: float
    least: float
    most: float
    runs: int

    @classmethod
    def of(cls, seconds: Iterable[float]) -> Figure:
        """The figure of these runs; there is at least one."""
        values = list(seconds)
        return cls(statistics.median(values), min(values), max(values), len(values))

    def scaled(self, factor: float) -> Figure:
        """`factor` times the work, if its cost grows in proportion."""
        return Figure(self.median * factor, self.least * factor, self.most * factor, self.runs)

    def as_dict(self) -> dict[str, float]:
        """For JSON."""
        return asdict(self)
