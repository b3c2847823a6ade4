"""`porter compile`: show the stages of the native compiler for a program."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import click
from attrs import evolve
from rich.console import Console

from porter.base.paths import templates_dir
from porter.cli._deprecated import renamed_option
from porter.cli._running import program_of
from porter.cli._subject import BuildChoice, subject_options
from porter.cli._types import PathType
from porter.compiler.mpy import read_module
from porter.compiler.options import CompilerOptions, Enter
from porter.compiler.show import AFTER, STAGES, ShownProgram, dot
from porter.compiler.stored import INSTRUCTIONS, load_tables
from porter.compiler.tables import Tables, read_tables
from porter.errors import UsageError
from porter.native.code import compile_code
from porter.native.compilation import HEAD, lines_of, mark_functions
from porter.native.profiling_run import ProfilingRun
from porter.run import Device, Launch, Program
from porter.run.built import Built
from porter.sync.store import release_dir


@click.command("compile")
@click.argument("file", required=False, type=PathType(path_type=Path))
@click.option("-c", "code", metavar="CODE", help="Compile this program.")
@click.option(
    "--show",
    "stage",
    type=click.Choice(list(STAGES)),
    default="cxx",
    show_default=True,
    help="Instructions; basic blocks; types at the start of each block; the IR; the C++.",
)
@click.option(
    "--after",
    type=click.Choice(AFTER),
    help="With --show ir: the last pass to run; the default is all passes.",
)
@click.option("--kernels", is_flag=True, help="Print what kernels get, not the host twin.")
@click.option("--dot", "as_dot", is_flag=True, help="With --show cfg: print DOT for Graphviz.")
@renamed_option(
    "--profiling-run/--no-profiling-run",
    old={"--trial": "--profiling-run", "--no-trial": "--no-profiling-run"},
    default=True,
    show_default=True,
    help="Run the program briefly for type feedback, as `porter run --compiled` does.",
)
@subject_options
def command(
    subject: BuildChoice,
    file: Path | None,
    code: str | None,
    stage: str,
    after: str | None,
    kernels: bool,
    as_dot: bool,
    profiling_run: bool,
) -> None:
    """Print the stages of the compiled tier's compiler for a program."""
    if as_dot and stage != "cfg":
        raise UsageError("--dot: it requires --show cfg")
    if after is not None and stage != "ir":
        raise UsageError("--after: it requires --show ir")
    program = program_of(file, code)
    device = subject.open(Console(stderr=True, highlight=False))
    source = _read(device, program, subject.sized(Launch()), profiling_run)
    enter: Enter = "apart" if kernels else "usual"
    source = evolve(source, options=source.options.on(enter), after=after or "")
    show: Callable[[ShownProgram], str] = dot if as_dot else STAGES[stage]
    sys.stdout.buffer.write(show(source).encode())


def _read(device: Device, program: Program, launch: Launch, profiling_run: bool) -> ShownProgram:
    tables = _tables(device.built)
    memory = compile_code(device, launch, program.source, program.name, "file").memory
    module = read_module(device.host(memory).tobytes(), HEAD, tables)
    options = CompilerOptions()
    if profiling_run and not device.on_gpu:
        seen = ProfilingRun(device, memory, "file", launch, 1).seen()
        size = int(memory.size)
        options = CompilerOptions(hints=mark_functions(seen, module, size))
    return ShownProgram(module, tables, lines_of(program.source), options)


def _tables(built: Built) -> Tables:
    """Return a build's bytecode instructions, from its own file or its release's headers."""
    for target, made in built.whole.targets.items():
        if f"{target}/{INSTRUCTIONS}" in made.files:
            return load_tables(built.file(target, INSTRUCTIONS))
    return read_tables(release_dir(str(built.config["release"])), templates_dir())
