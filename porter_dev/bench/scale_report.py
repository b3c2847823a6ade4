"""Render scaling results as a table and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import asdict
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from porter.base.sizes import format_size
from porter_dev.bench.report import milliseconds
from porter_dev.bench.scale import Scaling


def to_json(scaling: Scaling, about: Mapping[str, Any]) -> dict[str, Any]:
    """Return all points as JSON; times in seconds, sizes in bytes."""
    return {
        "about": dict(about),
        "program": scaling.benchmark.name,
        "by_count": [asdict(point) for point in scaling.by_count],
        "by_heap": [asdict(point) for point in scaling.by_heap],
        "left_out": scaling.left_out,
    }


def show(scaling: Scaling, about: Mapping[str, Any], console: Console) -> None:
    """Print a table with a row for each point."""
    title = f"{scaling.benchmark.title}, {about['device']}, release {about['release']}"
    console.print(title, style="bold", highlight=False)
    table = Table(box=SIMPLE, pad_edge=False)
    for name in ("interpreters", "heap", "launch ms", "start", "compile", "execute", "empty"):
        table.add_column(name, justify="right", no_wrap=True)
    for points in (scaling.by_count, scaling.by_heap):
        for point in points:
            phases = point.phases
            figures = (point.whole.launch, phases.start, phases.compile, phases.execute)
            times = (milliseconds(figure.median) for figure in (*figures, phases.empty))
            table.add_row(str(point.n), format_size(point.heap), *times)
        table.add_section()
    console.print(table)
    for line in scaling.left_out:
        console.print(f"left out: {line}", style="dim", soft_wrap=True, highlight=False)
