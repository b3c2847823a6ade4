"""Render the results of `porter bench` as tables and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import asdict, frozen
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from porter.base.sizes import format_size
from porter_dev.bench.lifecycle import Cost, MemoryUse
from porter_dev.bench.many import NAME as CANDIDATES
from porter_dev.bench.many import ManyPrograms
from porter_dev.bench.suite import PYTHONS, C, TimedBenchmark


@frozen
class Measured:
    """The results of one `porter bench` command."""

    rows: Sequence[TimedBenchmark]
    costs: Sequence[Cost]
    memory: MemoryUse | None
    many: ManyPrograms | None = None


def to_json(measured: Measured, about: Mapping[str, Any]) -> dict[str, Any]:
    """Return all results as JSON; times in seconds, sizes in bytes.

    Args:
        measured: Results to convert.
        about: Conditions of the measurement, from `conditions`.
    """
    return {
        "about": dict(about),
        "programs": {row.benchmark.name: _row(row) for row in measured.rows},
        "costs": {cost.name: asdict(cost) for cost in measured.costs},
        "memory": measured.memory and asdict(measured.memory),
        CANDIDATES: measured.many and _many(measured.many),
    }


def _row(row: TimedBenchmark) -> dict[str, Any]:
    return {
        "title": row.benchmark.title,
        "whole": asdict(row.whole),
        "unforked": asdict(row.unforked),
        "phases": asdict(row.phases),
        "swap_share": row.phases.swap_share,
        "equal": row.equal and asdict(row.equal),
        "own_over_equal": row.own_over_equal,
        "lanes": row.lanes,
        "references": {name: asdict(ref) for name, ref in row.references.items()},
        "times_c": _slower(row),
        "faster_than": {name: row.ratio(name) for name in PYTHONS if row.ratio(name)},
    }


def _many(many: ManyPrograms) -> dict[str, Any]:
    orders = {"mixed": many.mixed, "ordered": many.ordered}
    return asdict(many) | {
        "faster_than": {
            order: {name: many.ratio(name, whole) for name in many.references}
            for order, whole in orders.items()
        }
    }


def show(measured: Measured, about: Mapping[str, Any], console: Console) -> None:
    """Print the tables of programs, then those of interpreter costs and memory."""
    title = f"{about['n']} interpreters, {about['device']}, release {about['release']}"
    console.print(title, style="bold", highlight=False)
    if measured.rows:
        _show_programs(measured.rows, about, console)
        _show_phases(measured.rows, console)
    if measured.many is not None:
        _show_many(measured.many, about, console)
    if measured.costs:
        _show_costs(measured.costs, console)
    if measured.memory is not None:
        each = measured.memory
        text = (
            f"{format_size(each.image)} image or arena at most, {format_size(each.streams)} streams"
        )
        if each.rest is not None:
            text += f"; {format_size(each.rest)} at rest after a small program, trimmed"
        console.print(f"memory of an idle interpreter: {text}", highlight=False)


def _show_programs(
    rows: Sequence[TimedBenchmark], about: Mapping[str, Any], console: Console
) -> None:
    """Print the ratios of the execute launch to the references, then the times."""
    table = Table(box=SIMPLE, pad_edge=False)
    table.add_column("program", no_wrap=True)
    names = ("x C", *_pythons(about), "execute ms", "least-most", "swap", "launch ms")
    for name in (*names, "end to end"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        execute = row.phases.execute
        ratios = (_slower(row), *(row.ratio(name) for name in PYTHONS))
        table.add_row(
            row.benchmark.name,
            *map(_ratio, ratios),
            milliseconds(execute.median),
            f"{milliseconds(execute.least)}-{milliseconds(execute.most)}",
            f"{100 * row.phases.swap_share:.0f} %",
            milliseconds(row.whole.launch.median),
            milliseconds(row.whole.end_to_end.median),
        )
    console.print(table)
    for line in legend(rows, about):
        console.print(line, style="dim", soft_wrap=True, highlight=False)


def _show_phases(rows: Sequence[TimedBenchmark], console: Console) -> None:
    names = ("start", "compile", "execute", "empty")
    table = Table(box=SIMPLE, pad_edge=False)
    table.add_column("a launch each, ms", no_wrap=True)
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    for name in ("one launch, unforked", "equal data", "own/equal", "lanes"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        figures = (getattr(row.phases, name) for name in names)
        times = [milliseconds(figure.median) for figure in (*figures, row.unforked.launch)]
        equal = "" if row.equal is None else milliseconds(row.equal.median)
        lanes = "" if row.lanes is None else f"{row.lanes:.1f}"
        table.add_row(row.benchmark.name, *times, equal, _ratio(row.own_over_equal), lanes)
    console.print(table)


def _show_many(many: ManyPrograms, about: Mapping[str, Any], console: Console) -> None:
    table = Table(box=SIMPLE, pad_edge=False)
    table.add_column(f"{many.programs} programs, one launch", no_wrap=True)
    for name in ("launch ms", "end to end", "least-most", *_pythons(about)):
        table.add_column(name, justify="right", no_wrap=True)
    for order, whole in (("mixed", many.mixed), ("ordered by program", many.ordered)):
        wall = whole.end_to_end
        table.add_row(
            order,
            milliseconds(whole.launch.median),
            milliseconds(wall.median),
            f"{milliseconds(wall.least)}-{milliseconds(wall.most)}",
            *(_ratio(many.ratio(name, whole)) for name in PYTHONS),
        )
    console.print(table)
    text = "CPython, cores, upstream: their time, compiling included, over the launch's end to end."
    console.print(text, style="dim", soft_wrap=True, highlight=False)


def _pythons(about: Mapping[str, Any]) -> list[str]:
    """Return the column heads of PYTHONS."""
    cores = f"{about['cores']} cores"
    return ["CPython", cores, "upstream", cores]


def _show_costs(costs: Sequence[Cost], console: Console) -> None:
    table = Table(box=SIMPLE, pad_edge=False)
    table.add_column("all interpreters", no_wrap=True)
    for name in ("launch ms", "least-most", "end to end"):
        table.add_column(name, justify="right", no_wrap=True)
    for cost in costs:
        device = cost.device
        spread = f"{milliseconds(device.least)}-{milliseconds(device.most)}"
        table.add_row(
            cost.title, milliseconds(device.median), spread, milliseconds(cost.whole.median)
        )
    console.print(table)


def legend(rows: Sequence[TimedBenchmark], about: Mapping[str, Any]) -> list[str]:
    """Return lines that explain the columns and name the sampled or missing references."""
    lines = [
        "x C: execute's time over C's. CPython, upstream, each on one core and on all: their time "
        "for the same work over execute's. execute: code compiled once, on interpreters that "
        f"persist, median of {about['repeat']}. swap: the share of it that an empty program "
        "takes, which moves images and launches. launch: start, compile, run, stop in one launch. "
        "end to end: as the caller waits. unforked: each interpreter boots and compiles itself. "
        "equal data: execute, where the lanes of a warp have the data of one threadIdx. lanes: of "
        "32, active in an instruction, as ncu counted (--lanes).",
    ]
    lines += [f"{name}: {text}" for name, text in about["references"].items()]
    sampled = {
        name: ref.sample
        for row in rows
        for name, ref in row.references.items()
        if ref.sample < about["n"]
    }
    if sampled:
        least = min(ref.sample for row in rows for ref in row.references.values())
        lines.append(
            f"Scaled to {about['n']} interpreters' work from a sample (from {least} on, see "
            f"--json): {', '.join(sampled)}."
        )
    return lines


def _slower(row: TimedBenchmark) -> float | None:
    ratio = row.ratio(C)
    return 1 / ratio if ratio else None


def _ratio(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def milliseconds(seconds: float) -> str:
    """Format seconds as milliseconds."""
    value = seconds * 1e3
    return f"{value:,.1f}" if value >= 10 else f"{value:.3g}"
