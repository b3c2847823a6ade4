"""`porter profile`: show where a program's time goes, by line."""

from __future__ import annotations

import os
from pathlib import Path

import attrs
import click

from porter.base.files import write_whole
from porter.cli._console import ConsoleOptions, console_options
from porter.cli._options import size_option
from porter.cli._running import CommandLaunch, program_of, program_options, running_options
from porter.cli._subject import BuildChoice, subject_options
from porter.cli._types import PathType
from porter.errors import FileProblem, UsageError
from porter.profiling.line_profile import Profile
from porter.profiling.profiler import count, profile_of
from porter.profiling.terminal import show as show_profile
from porter.run import Launch
from porter.run.launch.counters import Counting

PAGE_PATH = PathType(path_type=Path)


def _check_output(path: Path | None) -> None:
    """Raise FileProblem for an unusable path before the program runs."""
    if path is None:
        return
    if path.is_dir():
        raise FileProblem(f"{path}: is a folder", hint="Give the name of a file.")
    if not path.parent.is_dir():
        raise FileProblem(f"{path}: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise FileProblem(f"{path}: this user may not write there")


def _write(profile: Profile, html: Path | None, speedscope: Path | None) -> None:
    """Write the chosen files. Raises OSError."""
    if html is not None:
        write_whole(html, profile.html())
    if speedscope is not None:
        write_whole(speedscope, profile.speedscope())


def _counting_build(subject: BuildChoice) -> BuildChoice:
    """Return `subject` with a profiling build; a finished build is checked later."""
    if subject.given.get("profile") is False:
        raise UsageError("--no-profile: `porter profile` requires a profiling build")
    if subject.config is None:
        return subject
    return attrs.evolve(subject, config=attrs.evolve(subject.config, profile=True))


@click.command("profile")
@click.argument("file", metavar="PROGRAM", required=False, type=PathType(path_type=Path))
@program_options
@click.option(
    "--html", metavar="FILE", type=PAGE_PATH, help="Write an HTML page with sources and counts."
)
@click.option("--speedscope", metavar="FILE", type=PAGE_PATH, help="Write JSON for speedscope.")
@click.option(
    "--top", type=click.IntRange(1), default=20, show_default=True, help="Number of table rows."
)
@click.option("-q", "--quiet", is_flag=True, help="Print no table.")
@size_option(
    "--counter-buffer", "Counter buffer per interpreter [512K].", old={"--room": "--counter-buffer"}
)
@running_options
@console_options
@click.option(
    "--fs",
    "image",
    metavar="IMAGE",
    type=PathType(path_type=Path),
    help="littlefs2 image; each interpreter mounts a copy at /.",
)
@subject_options
def command(
    subject: BuildChoice,
    file: Path | None,
    code: str | None,
    n: int,
    html: Path | None,
    speedscope: Path | None,
    top: int,
    quiet: bool,
    counter_buffer: int | None,
    timeout: float | None,
    max_steps: int | None,
    deadline: float | None,
    block: int,
    max_groups: int,
    console: ConsoleOptions,
    image: Path | None,
) -> None:
    """Run PROGRAM and count its work by source line.

    Output of the program appears as with `porter run`; the table goes to stderr.
    """
    program = program_of(file, code)
    for path in (html, speedscope):
        _check_output(path)
    if html is not None and html == speedscope:
        raise UsageError(f"--html and --speedscope: both name {html}")
    counting = Counting() if counter_buffer is None else Counting(counter_buffer)
    launch = Launch(timeout=timeout, max_steps=max_steps, deadline=deadline, block=block)
    subject = _counting_build(subject)
    prepared = CommandLaunch.of(subject, n, launch, console, max_groups, image)
    result = prepared.run(lambda device, launch: count(device, program, n, launch, counting))
    profile = profile_of(prepared.device, result, n, program, prepared.files)
    if not quiet:
        prepared.shower.err.fresh_line()
        show_profile(profile, prepared.err, top)
    _write(profile, html, speedscope)
    prepared.end(result)
