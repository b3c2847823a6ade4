"""`porter bench`: how fast programs run on many interpreters, beside what a user has instead."""

from __future__ import annotations

import json
import platform
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from porter.bench import lifecycle, native, report, scripts
from porter.bench.catalogue import SUITE, Benchmark
from porter.bench.measure import Setting
from porter.bench.scripts import Python
from porter.bench.suite import ALL_CORES, CPYTHON, UPSTREAM, C, Suite
from porter.bench.upstream_unix import unix_port
from porter.conformance.report import write_whole
from porter.errors import PorterError, UsageError
from porter.run import Device, Launch, open_device
from porter.settings import load_config
from porter.sizes import parse_size

FilePath = click.Path(dir_okay=False, path_type=Path)
WIDTH = 120  # columns
COMPILED = SUITE[0]  # what the cost of compiling is measured with
COUNTS = {"cuda": 1 << 18, "host": 64}


@click.command("bench")
@click.option("-n", "n", type=click.IntRange(1), help="Interpreters [262144 on a GPU, else 64].")
@click.option("--only", multiple=True, metavar="NAME", help="This program, or all that start so.")
@click.option("--repeat", type=click.IntRange(1), default=5, show_default=True)
@click.option("--target", type=click.Choice(["host", "cuda"]), help="[the GPU where there is one]")
@click.option("--release", metavar="R", help="Upstream release [newest in the lock].")
@click.option("--heap", metavar="SIZE", help="Python heap [the build's].")
@click.option("--block", type=click.IntRange(0), default=0, help="Interpreters a block.")
@click.option(
    "--build",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Use this finished build and build nothing.",
)
@click.option(
    "--reference",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Upstream's unix port, built elsewhere [built here].",
)
@click.option("--no-references", is_flag=True, help="Measure interpreters alone.")
@click.option("--json", "json_file", type=FilePath, help="Write everything measured, as JSON.")
@click.option("--list", "only_list", is_flag=True, help="Print the programs and run none.")
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
    json_file: Path | None,
    only_list: bool,
) -> None:
    """Time a suite of programs on many interpreters, and the same work done otherwise.

    Every result is checked against CPython's; a wrong one ends the command with 54.
    """
    benchmarks, costs = _chosen(only)
    if only_list:
        for benchmark in benchmarks:
            click.echo(f"{benchmark.name:<20} {benchmark.title}")
        click.echo("\n".join(costs))
        return
    out, err = Console(), Console(stderr=True, highlight=False)
    if not out.is_terminal:
        out.width = WIDTH  # a file or pipe can hold the whole table
    size = None if heap is None else parse_size(heap, "--heap")
    device = _device(folder, {"release": release, "target": target, "heap": size}, err)
    benchmarks, left_out = _fitting(benchmarks, device)
    setting = Setting(device, n or COUNTS[device.name], repeat, Launch(heap=size, block=block))
    no_references = no_references or not benchmarks
    references = {} if no_references else {C: native.ABOUT[device.name]}
    upstream: Python | None = None
    with err.status("references") as status:
        if not no_references:
            about = scripts.cpython().about
            references |= {CPYTHON: f"{about}, one core", ALL_CORES: f"{about}, all cores"}
            upstream, references[UPSTREAM] = _upstream(device, reference)
        suite = Suite(
            setting,
            upstream=upstream,
            cpython=None if no_references else scripts.cpython(),
            native=not no_references,
        )
        rows = suite.run(benchmarks, status.update)
        status.update("costs")
        measured = report.Measured(
            rows,
            lifecycle.measure(setting, costs, COMPILED),
            lifecycle.memory(setting) if "memory" in costs else None,
        )
    conditions = {
        "n": setting.n,
        "repeat": repeat,
        "device": _device_name(device),
        "machine": platform.processor() or platform.machine(),
        "cores": suite.cores,
        "release": device.built.manifest["release"],
        "config": dict(device.built.config) | ({"heap": size} if size else {}),
        "references": references,
        "left_out": left_out,
    }
    if json_file is not None:
        text = json.dumps(report.to_json(measured, conditions), indent=1) + "\n"
        write_whole(json_file, text.encode())
    report.show(measured, conditions, out)


def _chosen(only: tuple[str, ...]) -> tuple[list[Benchmark], list[str]]:
    """The programs and the costs that --only leaves."""
    names = [*(benchmark.name for benchmark in SUITE), *lifecycle.NAMES]
    for start in only:
        if not any(name.startswith(start) for name in names):
            raise UsageError(
                f"--only {start}: there is no such program", hint=f"There are {', '.join(names)}."
            )
    chosen = [name for name in names if not only or name.startswith(only)]
    programs = [benchmark for benchmark in SUITE if benchmark.name in chosen]
    return programs, [name for name in lifecycle.NAMES if name in chosen]


def _device(folder: Path | None, options: dict[str, Any], console: Console) -> Device:
    if folder is not None:
        from porter.run.built import open_build

        built = open_build(folder)
        target = options["target"] or ("cuda" if "cuda" in built.manifest["targets"] else "host")
        return open_device(built, target)
    # Building needs libclang and compilers; running what was built elsewhere must not.
    from porter.cli._building import build_shown

    config = load_config(options)
    return open_device(build_shown(config, console).folder, config.targets[0])


def _fitting(benchmarks: list[Benchmark], device: Device) -> tuple[list[Benchmark], list[str]]:
    """Without those that this build's floats cannot do, and their names."""
    if device.built.config["float"] == "double":
        return benchmarks, []
    left_out = [benchmark.name for benchmark in benchmarks if benchmark.double]
    return [b for b in benchmarks if not b.double], left_out


def _upstream(device: Device, executable: Path | None) -> tuple[Python | None, str]:
    """Upstream's unix port and what it is, or None and why there is none."""
    try:
        python = unix_port(device.built.manifest["release"], executable)
    except PorterError as error:
        if executable is not None:
            raise
        return None, f"not measured: {error.message.splitlines()[0]}"
    return python, python.about


def _device_name(device: Device) -> str:
    if device.name == "host":
        return "host twin"
    name = device.xp.cuda.runtime.getDeviceProperties(device.xp.cuda.Device().id)["name"]
    return str(name.decode())
