"""Draw scaling results as an SVG: two panels with logarithmic axes, from a template."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import jinja2
from attrs import frozen

from porter.base.sizes import format_size
from porter_dev.bench.scaling import Point, Scaling

TEMPLATE = Path(__file__).parent / "plot.svg.j2"
WIDTH, HEIGHT = 380, 260  # of a panel's plot area, in SVG units
CURVES: dict[str, Callable[[Point], float]] = {
    "whole launch": lambda point: point.whole.launch.median,
    "execute": lambda point: point.phases.execute.median,
    "start": lambda point: point.phases.start.median,
    "empty program": lambda point: point.phases.empty.median,
}
COLOURS = ("#1b6ca8", "#d1495b", "#66a182", "#8d6a9f")


@frozen
class Axis:
    """A logarithmic axis from `low` to `high`, `length` SVG units long."""

    low: float
    high: float
    length: float

    @classmethod
    def over(cls, values: Sequence[float], length: float) -> Axis:
        """Return an axis that covers all values with a margin of 30 % at both ends."""
        return cls(min(values) / 1.3, max(values) * 1.3, length)

    def at(self, value: float) -> float:
        """Return the position of `value` on the axis, in SVG units."""
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return round(self.length * share, 1)


@frozen
class Panel:
    """A panel of the figure.

    Attributes:
        title: Meaning of the x axis.
        curves: Name, colour and SVG points of each curve.
        across: Position and text of each tick on the x axis.
        up: Position and text of each tick on the y axis.
    """

    title: str
    curves: list[tuple[str, str, str]]
    across: list[tuple[float, str]]
    up: list[tuple[float, str]]


def draw(scaling: Scaling, about: str) -> str:
    """Return the SVG text of `scaling`, with `about` as the line below the title."""
    panels = []
    if scaling.by_count:
        panels.append(_panel("interpreters", scaling.by_count, lambda p: p.n, _power))
    if scaling.by_heap:
        title = f"heap, {scaling.by_heap[0].n} interpreters"
        panels.append(_panel(title, scaling.by_heap, lambda p: p.heap, format_size))
    template = jinja2.Template(TEMPLATE.read_text(), undefined=jinja2.StrictUndefined)
    names = list(zip(CURVES, COLOURS, strict=True))
    return str(
        template.render(
            panels=panels,
            names=names,
            title=scaling.benchmark.title,
            about=about,
            width=WIDTH,
            height=HEIGHT,
        )
    )


def _panel(
    title: str,
    points: list[Point],
    size: Callable[[Point], int],
    text: Callable[[int], str],
) -> Panel:
    across = Axis.over([size(point) for point in points], WIDTH)
    up = Axis.over([curve(point) for point in points for curve in CURVES.values()], HEIGHT)
    curves = []
    for (name, curve), colour in zip(CURVES.items(), COLOURS, strict=True):
        path = " ".join(
            f"{across.at(size(point))},{HEIGHT - up.at(curve(point))}" for point in points
        )
        curves.append((name, colour, path))
    powers = range(math.floor(math.log10(up.low)), math.ceil(math.log10(up.high)) + 1)
    ticks = [10.0**k for k in powers if up.low <= 10.0**k <= up.high]
    every = -(-len(points) // 6)
    return Panel(
        title,
        curves,
        [(across.at(size(point)), text(size(point))) for point in points[::every]],
        [(HEIGHT - up.at(tick), f"{tick * 1e3:g} ms") for tick in ticks],
    )


def _power(n: int) -> str:
    power = n.bit_length() - 1
    return f"2^{power}" if n == 1 << power else str(n)
