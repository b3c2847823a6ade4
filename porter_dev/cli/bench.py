"""`porter bench`: time programs on many interpreters, and the alternatives that a user has."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs
import click
from rich.console import Console

from porter.base.files import write_whole
from porter.base.sizes import parse_size
from porter.cli._progress import show_progress
from porter.cli._subject import LOADING, folder_option, open_finished
from porter.cli._types import PathType
from porter.errors import UsageError
from porter.run import Device, Launch, open_device
from porter.run.built import Built, open_build
from porter.settings import load_config
from porter_dev.bench import bench_report, lifecycle, many, scaling
from porter_dev.bench.catalogue import SUITE, Benchmark
from porter_dev.bench.lanes import read_lanes
from porter_dev.bench.measurement import Setting
from porter_dev.bench.suite import BenchSuite, conditions, fitting, with_references

FilePath = PathType(dir_okay=False, path_type=Path)
COMPILED = SUITE[0]  # what the cost of compiling, and scaling, is measured with
COUNTS = {"cuda": 1 << 18, "host": 64}
WIDTH = 140  # columns


@click.command("bench")
@click.option("-n", "n", type=click.IntRange(1), help="Interpreters [262144 on a GPU, else 64].")
@click.option("--only", multiple=True, metavar="NAME", help="This one, or all that start so.")
@click.option("--repeat", type=click.IntRange(1), default=5, show_default=True)
@click.option("--target", type=click.Choice(["host", "cuda"]), help="[the GPU where there is one]")
@click.option("--release", metavar="R", help="Upstream release [newest in the lock].")
@click.option("--heap", metavar="SIZE", help="Python heap [the build's].")
@click.option("--block", type=click.IntRange(0), default=0, help="Interpreters a block.")
@folder_option
@click.option(
    "--reference",
    type=PathType(exists=True, dir_okay=False, path_type=Path),
    help="Upstream's unix port, built elsewhere [built here].",
)
@click.option("--no-references", is_flag=True, help="Measure interpreters alone.")
@click.option(
    "--lanes",
    "lanes_file",
    type=FilePath,
    help="What ncu counted, as CSV or JSON: docs/how-to/benchmark.md.",
)
@click.option(
    "--hot-code",
    "counts_file",
    type=FilePath,
    help="With --build: tables of what ncu counted by instruction; runs nothing.",
)
@click.option("--functions", is_flag=True, help="With --hot-code: a table by function, too.")
@click.option("--scale", "scaled", is_flag=True, help="One program, many counts and heaps.")
@click.option("--plot", "plot_file", type=FilePath, help="With --scale: draw it as SVG.")
@click.option("--json", "json_file", type=FilePath, help="Write everything measured, as JSON.")
@click.option("--list", "only_list", is_flag=True, help="Print the names and run nothing.")
def command(
    n: int | None,
    only: tuple[str, ...],
    repeat: int,
    target: str | None,
    release: str | None,
    heap: str | None,
    block: int,
    folder: Path | None,
    reference: Path | None,
    no_references: bool,
    lanes_file: Path | None,
    counts_file: Path | None,
    functions: bool,
    scaled: bool,
    plot_file: Path | None,
    json_file: Path | None,
    only_list: bool,
) -> None:
    """Time a suite of programs on many interpreters, and the same work done otherwise.

    Every result is checked against CPython's; a wrong one ends the command with 54.
    """
    if counts_file is not None:
        if folder is None or scaled or lanes_file is not None:
            raise UsageError("--hot-code needs --build, without --scale and --lanes")
        _show_hot_code(counts_file, open_build(folder), functions, json_file)
        return
    if functions:
        raise UsageError("--functions: only --hot-code has a table by function")
    benchmarks, rest = _chosen(only)
    if only_list:
        for benchmark in benchmarks:
            click.echo(f"{benchmark.name:<20} {benchmark.title}")
        click.echo("\n".join(rest))
        return
    if plot_file is not None and not scaled:
        raise UsageError("--plot: only what --scale measures can be drawn")
    lanes = read_lanes(lanes_file) if lanes_file is not None else {}
    out = _console()
    size = None if heap is None else parse_size(heap, "--heap")
    device = _device(folder, {"release": release, "target": target, "heap": size})
    benchmarks, left_out = fitting(benchmarks, device)
    setting = Setting(device, n or COUNTS[device.name], repeat, Launch(heap=size, block=block))
    with show_progress() as progress:
        progress.now("references")
        suite = BenchSuite(setting, cpython=None, native=False)
        references: dict[str, str] = {}
        if (benchmarks or many.NAME in rest) and not (no_references or scaled):
            suite, references = with_references(setting, reference)
        about = conditions(setting, suite.cores)
        about |= {"references": references, "left_out": left_out}
        if scaled:
            chosen = (benchmarks or [COMPILED])[0]
            _write(json_file, plot_file, about, scaling.scaling(setting, chosen, progress.now), out)
            return
        suite = attrs.evolve(suite, lanes=lanes)
        measured = _measured(suite, benchmarks, rest, progress.now)
    if json_file is not None:
        text = json.dumps(bench_report.to_json(measured, about), indent=1) + "\n"
        write_whole(json_file, text, parents=True)
    bench_report.show(measured, about, out)


def _console() -> Console:
    out = Console()
    if not out.is_terminal:
        out.width = WIDTH  # files and pipes are wide enough for the whole table
    return out


def _show_hot_code(
    counts_file: Path, built: Built, functions: bool, json_file: Path | None
) -> None:
    """Print the hot code of each launch in a report or JSON file, and write it as JSON."""
    # Imported late: reading a cubin needs pyelftools, which measuring does not need.
    from porter_dev.bench import hot_code, instruction_counts

    launches = instruction_counts.read_counts(counts_file)
    code = hot_code.BuiltCode.of(built)
    analyzed = [(launch, hot_code.analyze(launch, code)) for launch in launches]
    if json_file is not None:
        text = json.dumps(hot_code.to_json(analyzed, built.folder.name)) + "\n"
        write_whole(json_file, text, parents=True)
    out = _console()
    for _, hot in analyzed:
        hot_code.show(hot, out, functions=functions)


def _measured(
    suite: BenchSuite,
    benchmarks: Sequence[Benchmark],
    rest: Sequence[str],
    doing: Callable[[str], None],
) -> bench_report.Measured:
    """Measure programs, and the candidates, costs and memory that `rest` names."""
    setting = suite.setting
    rows = suite.run(benchmarks, doing)
    candidates = None
    if many.NAME in rest:
        candidates = many.measure(setting, suite.pythons, doing)
    doing("costs")
    costs = lifecycle.measure(setting, rest, COMPILED)
    memory = lifecycle.memory(setting) if "memory" in rest else None
    return bench_report.Measured(rows, costs, memory, candidates)


def _write(
    json_file: Path | None,
    plot_file: Path | None,
    about: dict[str, Any],
    found: scaling.Scaling,
    console: Console,
) -> None:
    if json_file is not None:
        text = json.dumps(scaling.to_json(found, about), indent=1) + "\n"
        write_whole(json_file, text, parents=True)
    if plot_file is not None:
        from porter_dev.bench import scaling_plot  # needs jinja2, which measuring does not need

        under = f"{about['device']}, release {about['release']}, arena {about['config']['arena']}"
        write_whole(plot_file, scaling_plot.draw(found, under), parents=True)
    scaling.show(found, about, console)


def _chosen(only: tuple[str, ...]) -> tuple[list[Benchmark], list[str]]:
    """Return the programs that --only selects, and the names of the other measurements."""
    others = (many.NAME, *lifecycle.NAMES)
    names = [*(benchmark.name for benchmark in SUITE), *others]
    for start in only:
        if not any(name.startswith(start) for name in names):
            raise UsageError(
                f"--only {start}: there is no such program", hint=f"There are {', '.join(names)}."
            )
    chosen = [name for name in names if not only or name.startswith(only)]
    programs = [benchmark for benchmark in SUITE if benchmark.name in chosen]
    return programs, [name for name in others if name in chosen]


def _device(folder: Path | None, options: dict[str, Any]) -> Device:
    if folder is not None:
        with show_progress() as progress:
            progress.now(LOADING)
            return open_finished(folder, options)
    # Imported late: building needs libclang and compilers, running a finished build does not.
    from porter.cli._building import build_shown

    config = load_config(options)
    built = build_shown(config)
    with show_progress() as progress:
        progress.now(LOADING)
        return open_device(built.folder, config.targets[0])
