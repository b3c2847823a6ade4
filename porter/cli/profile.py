"""`porter profile`: where a program's time goes, by line."""

from __future__ import annotations

import os
from pathlib import Path

import attrs
import click
from rich.console import Console

from porter.base.files import write_whole
from porter.cli._console import ConsoleOptions, Shower, console_options
from porter.cli._options import size_option
from porter.cli._running import end, program_of, running_options, show_output
from porter.cli._subject import BuildChoice, subject_options
from porter.errors import FileProblem, LaunchInterrupted, UsageError
from porter.fs import Image
from porter.profiling.running import count, profile_of
from porter.profiling.showing import Profile
from porter.profiling.terminal import show as show_profile
from porter.run import Launch
from porter.run.launch.counting import Counting
from porter.run.launch.filesystem import mounted
from porter.run.streams.writer import Writer

PAGE_PATH = click.Path(path_type=Path)


def _check_output(path: Path | None) -> None:
    """Raise FileProblem before the program runs for nothing."""
    if path is None:
        return
    if path.is_dir():
        raise FileProblem(f"{path}: is a folder", hint="Give the name of a file.")
    if not path.parent.is_dir():
        raise FileProblem(f"{path}: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise FileProblem(f"{path}: this user may not write there")


def _write(profile: Profile, html: Path | None, speedscope: Path | None) -> None:
    """Raises OSError."""
    if html is not None:
        write_whole(html, profile.html())
    if speedscope is not None:
        write_whole(speedscope, profile.speedscope())


def _counting_build(subject: BuildChoice) -> BuildChoice:
    """`subject` with a build that counts; a finished one is asked later whether it does."""
    if subject.given.get("profile") is False:
        raise UsageError("--no-profile: `porter profile` needs a build that counts")
    if subject.config is None:
        return subject
    return attrs.evolve(subject, config=attrs.evolve(subject.config, profile=True))


@click.command("profile")
@click.argument("file", metavar="PROGRAM", required=False, type=click.Path(path_type=Path))
@click.option("-c", "code", metavar="CODE", help="Run this program.")
@click.option("-n", "n", type=int, default=32, show_default=True, help="Interpreters.")
@click.option("--html", metavar="FILE", type=PAGE_PATH, help="Write a page: sources and counts.")
@click.option("--speedscope", metavar="FILE", type=PAGE_PATH, help="Write JSON for speedscope.")
@click.option(
    "--top", type=click.IntRange(1), default=20, show_default=True, help="Lines of the table."
)
@click.option("-q", "--quiet", is_flag=True, help="No table.")
@size_option("--room", "Memory in which each interpreter counts [512K].")
@running_options
@console_options
@click.option(
    "--fs",
    "image",
    metavar="IMAGE",
    type=click.Path(path_type=Path),
    help="littlefs2 image of which each interpreter finds a copy at /.",
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
    room: int | None,
    timeout: float | None,
    max_steps: int | None,
    deadline: float | None,
    block: int,
    max_groups: int,
    console: ConsoleOptions,
    image: Path | None,
) -> None:
    """Run PROGRAM and show where its time goes, by line.

    What it prints goes where `porter run` writes it, the table goes to stderr.
    """
    program = program_of(file, code)
    if n < 1:
        raise UsageError(f"-n {n}: at least one interpreter is needed")
    for path in (html, speedscope):
        _check_output(path)
    files = None if image is None else Image.load(image)
    counting = Counting() if room is None else Counting(room)
    subject = _counting_build(subject)
    out, err = Console(highlight=False), Console(stderr=True, highlight=False)
    device = subject.open(err)
    if image is None and (size := subject.fs_size(device)):
        files = Image.empty(size)
    stdout, stderr = Writer(out), Writer(err)
    shower = Shower(stdout, stderr, n, max_groups)
    launch = Launch(timeout=timeout, max_steps=max_steps, deadline=deadline, block=block)
    launch = console.apply(subject.sized(launch), n, shower)
    if files is not None:
        launch = mounted(launch, device, files, n, shared=False)
    stopped: LaunchInterrupted | None = None
    try:
        result = count(device, program, n, launch, counting)
    except LaunchInterrupted as error:
        stopped, result = error, error.result
    buffered = console.mode == "buffer"
    show_output(result, n, shower, buffered=buffered, max_groups=max_groups)
    profile = profile_of(device, result, n, program, files)
    if not quiet:
        stderr.fresh_line()
        show_profile(profile, err, top)
    _write(profile, html, speedscope)
    end(result, stopped, stderr)
