"""`porter torture`: compare generated C programs as C and rewritten to C++.

`--python` compares generated Python programs, interpreted and as native code.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console

from porter.base import paths
from porter.cli._progress import show_progress
from porter.cli._subject import folder_option
from porter.cli._types import PathType
from porter.errors import TortureFailed, UsageError
from porter.settings import load_config
from porter_dev.torture.c_campaign import Found, replay, saved, torture
from porter_dev.torture.libraries import examine_library
from porter_dev.torture.python import python_campaign
from porter_dev.torture.python.comparison import MODES
from porter_dev.torture.python.library_program import generate_library
from porter_dev.torture.python.program import generate


def torture_python(
    build: Path | None,
    seed: str,
    count: int,
    modes: Sequence[str],
    *,
    jobs: int | None,
    reduced: bool,
    keep: Path | None,
    with_library: bool = False,
) -> None:
    """Test programs on the build in `build`, or on a new one. Raises TortureFailed."""
    console, start, ended = Console(highlight=False), time.monotonic(), 0
    with show_progress() as progress:
        if build is None:
            from porter.pipeline import build as make  # imports the whole toolchain

            build = make(load_config({"target": "host"})).folder
        progress.now("programs")

        def shown(more: int) -> None:
            nonlocal ended
            ended += more
            progress.step(ended, count)

        found = python_campaign.torture(
            build,
            seed,
            count,
            modes,
            make=generate_library if with_library else generate,
            jobs=jobs,
            reduced=reduced,
            shown=shown,
        )
    folder = keep or paths.build_dir() / "torture"
    for one in found:
        console.print(
            f"{python_campaign.saved(one, folder)}: {one.difference.detail.splitlines()[0]}",
            markup=False,
        )
    kinds = Counter(one.difference.mode for one in found)
    told = ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items())) or "all the same"
    seconds = time.monotonic() - start
    console.print(f"{count} programs, {', '.join(modes)}, in {seconds:.0f} s: {told}")
    if found:
        raise TortureFailed(
            f"{len(found)} of {count} programs are not the same as machine code",
            hint="Each file is a program by itself; docs/explanation/compiler.md says more.",
        )


_File = PathType(exists=True, dir_okay=False, path_type=Path)


@click.command("torture")
@click.option("-n", "count", type=click.IntRange(1), default=1000, show_default=True)
@click.option(
    "--seed", default="1", show_default=True, help="Any text; it decides which programs are drawn."
)
@click.option("--reduce/--no-reduce", default=True, show_default=True, help="Make findings small.")
@click.option(
    "--keep",
    type=PathType(file_okay=False, path_type=Path),
    help="Where findings are written [build/torture].",
)
@click.option("--replay", "replayed", type=_File, multiple=True, help="Examine a kept finding.")
@click.option("--library", "libraries", multiple=True, help="Rewrite and test a real library.")
@click.option("-O", "optimise", type=click.Choice("0123s"), default="1", show_default=True)
@click.option("--python", is_flag=True, help="Python programs instead, as machine code too.")
@click.option(
    "--with-library", is_flag=True, help="With --python: programs that use the standard library."
)
@click.option(
    "--mode",
    "modes",
    type=click.Choice(list(MODES)),
    multiple=True,
    help="With --python: how machine code is made and run [usual].",
)
@folder_option
@click.option("-j", "--jobs", type=click.IntRange(1), help="Processes at a time [one a core].")
def command(
    count: int,
    seed: str,
    reduce: bool,
    keep: Path | None,
    replayed: tuple[Path, ...],
    libraries: tuple[str, ...],
    optimise: str,
    python: bool,
    with_library: bool,
    modes: tuple[str, ...],
    folder: Path | None,
    jobs: int | None,
) -> None:
    """Generate C programs, rewrite them, and compare what C and C++ print.

    With --python: generate Python programs, and compare the interpreter, native code and CPython.
    Exits with 55 if a program is refused, does not compile as C++, or prints something else.
    """
    if python:
        if libraries or replayed:
            raise UsageError("--python: no --library and no --replay")
        torture_python(
            folder,
            seed,
            count,
            modes or ("usual",),
            jobs=jobs,
            reduced=reduce,
            keep=keep,
            with_library=with_library,
        )
        return
    if modes or folder is not None or with_library:
        raise UsageError("--mode, --build and --with-library are about --python")
    console = Console(highlight=False)
    start = time.monotonic()
    if libraries:
        for name in libraries:
            with show_progress() as progress:
                progress.now(name)
                units, runs = examine_library(name, jobs)
            console.print(f"{name}: {units} units, {runs} runs, all the same")
        return
    if replayed:
        with show_progress() as progress:
            progress.now("replaying")
            found = [one for path in replayed if (one := replay(path)) is not None]
        count = len(replayed)
    else:
        with show_progress() as progress:
            progress.now("programs")
            ended = 0

            def shown(more: int) -> None:
                nonlocal ended
                ended += more
                progress.step(ended, count)

            found = torture(
                seed,
                count,
                jobs=jobs,
                reduced=reduce,
                optimise=f"-O{optimise}",
                shown=shown,
            )
    seconds = time.monotonic() - start
    kept = keep or paths.build_dir() / "torture"
    for one in found:
        where = saved(one, kept) if not replayed else replayed[0]
        console.print(f"{where}: {one.finding.detail.splitlines()[0]}", markup=False)
    console.print(f"{count} programs in {seconds:.0f} s, {_kinds(found)}")
    if found:
        raise TortureFailed(
            f"{len(found)} of {count} programs are not the same in C++",
            hint="`porter torture --replay FILE` examines one again; see docs/how-to/torture.md.",
        )


def _kinds(found: list[Found]) -> str:
    kinds = Counter(one.finding.kind for one in found)
    return ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) or "all the same"
