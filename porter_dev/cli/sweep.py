"""`porter sweep`: fail every allocation of many programs, each in an interpreter of its own."""

from __future__ import annotations

import json
import os
from pathlib import Path

import attrs
import click
from rich.console import Console

from porter.base import paths
from porter.base.files import write_whole
from porter.base.sizes import parse_size
from porter.cli._options import MOST_TEST, bounds_checks_flag, seconds_option
from porter.cli._progress import show_progress
from porter.cli._subject import folder_option
from porter.cli._types import NAME, PathType
from porter.compiler.options import CompilerOptions
from porter.conformance.expected_output import find_cpython
from porter.conformance.skips import load
from porter.errors import InjectionFailed, UsageError
from porter.manifest import open_manifest
from porter.settings import load_config
from porter.sync.synchronization import tests_of
from porter.toolchain import children
from porter_dev.allocation_failure import injection_campaign, subjects
from porter_dev.allocation_failure.injection_campaign import InjectionResults, inject_failures
from porter_dev.allocation_failure.injection_runner import (
    InjectionOpener,
    InjectionRunner,
    InjectionSizes,
)

DIRECTORIES = ("basics", "float", "unicode", "micropython", "misc", "stress", "extmod")


@click.command("sweep")
@click.argument("tests", nargs=-1, metavar="[DIR|TEST]...", type=NAME)
@click.option(
    "--programs",
    type=PathType(exists=True, file_okay=False, path_type=Path),
    help="Sweep the .py files of this folder instead of upstream's tests.",
)
@click.option("--target", type=click.Choice(["host", "cuda"]), help="[the GPU where there is one]")
@click.option("--variant", type=click.Choice(["release", "debug", "asan"]), default="release")
@bounds_checks_flag
@click.option("--compiled", is_flag=True, help="Run each program as machine code, all of it.")
@click.option("--release", metavar="R", help="Upstream release [newest in the lock].")
@click.option("--heap", metavar="SIZE", default="64K", show_default=True)
@click.option("--stack", metavar="SIZE", default="32K", show_default=True)
@click.option("--limit", type=click.IntRange(0), default=0, help="Interpreters a program [all].")
@click.option("--most", type=click.IntRange(0), default=0, help="Programs, evenly chosen [all].")
@click.option("--rest", is_flag=True, help="Every later allocation fails too.")
@click.option("--chunk", type=click.IntRange(1), help="Interpreters a launch [512; GPU 32768].")
@seconds_option("Seconds a launch.", most=MOST_TEST, default=60.0)
@folder_option
@click.option("--json", "json_file", type=PathType(dir_okay=False, path_type=Path))
def command(
    tests: tuple[str, ...],
    programs: Path | None,
    target: str | None,
    variant: str,
    bounds_checks: bool,
    compiled: bool,
    release: str | None,
    heap: str,
    stack: str,
    limit: int,
    most: int,
    rest: bool,
    chunk: int | None,
    timeout: float,
    folder: Path | None,
    json_file: Path | None,
) -> None:
    """Fail each allocation of many programs in turn, each in an interpreter of its own.

    Every interpreter must end as Python ends: with the right answer, with a MemoryError, or with
    what the program itself makes of one. Exits with 52 if one faults, hangs, writes beyond its
    arena, gives a wrong answer, or disturbs a neighbour.
    """
    if compiled and (variant != "release" or bounds_checks):
        raise UsageError("--compiled: neither in variants nor with --bounds-checks")
    console = Console()
    sizes = InjectionSizes(heap=parse_size(heap, "--heap"), stack=parse_size(stack, "--stack"))
    given = {"release": release, "target": target, "bounds_checks": bounds_checks or None}
    chosen = {"heap": sizes.heap, "stack": sizes.stack, "pystack": sizes.pystack}
    config = load_config({**given, **chosen, "arena": "global"})
    target = target or config.targets[0]
    if folder is None:
        from porter.cli._building import build_shown

        folder = build_shown(config, variant=variant).folder
    patches = open_manifest(folder).patches
    patches.need("fail-allocation", "porter sweep")
    if programs is not None:
        wanted = subjects.folder(programs)
    else:
        cpython = find_cpython(paths.build_dir() / "conformance" / "expected")
        root = tests_of(config.release) / "tests"
        skips = load(target, skipped={one.name for one in patches.skipped})
        wanted = subjects.upstream(root, tests or DIRECTORIES, cpython, skips)
    device = target if variant == "release" else f"{target}-{variant}"
    threads = os.cpu_count() or 1
    size, parallel = (32768, 32768) if target == "cuda" else (512, threads)
    native = CompilerOptions() if compiled else None
    runner = InjectionRunner.open(
        InjectionOpener(folder, device, timeout, sizes, rest, native), chunk or size, parallel
    )
    with show_progress() as progress, children(device):
        under_way = ""

        def report(what: str, done: int, total: int) -> None:
            nonlocal under_way
            if what != under_way:
                under_way = what
                progress.now(what)
            progress.step(done, total)

        done = inject_failures(wanted, runner, limit=limit, most=most, progress=report)
    how = {"rest": rest, "compiled": compiled}
    about = {"release": config.release, "target": device, **how, **attrs.asdict(sizes)}
    if json_file is not None:
        text = json.dumps(injection_campaign.to_json(done, about), indent=1) + "\n"
        write_whole(json_file, text, parents=True)
    injection_campaign.show(done, console)
    _check(done)


def _check(done: InjectionResults) -> None:
    if not done.rows:
        raise InjectionFailed("no program could be swept", hint="None passes with these sizes.")
    if done.bad:
        raise InjectionFailed(
            f"{len(done.bad)} of {done.interpreters + done.neighbours} interpreters did not end "
            "as they must",
            hint="The first are named above; --json keeps all, with what they printed.",
        )
