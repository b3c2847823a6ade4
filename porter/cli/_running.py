"""Shared parts of commands that run a program: options, the launch, and display of outputs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from attrs import define
from rich.console import Console

from porter.cli._console import ConsoleOptions, Shower
from porter.cli._options import limit_options, seconds_option
from porter.cli._progress import show_progress
from porter.cli._subject import BuildChoice
from porter.errors import (
    DeviceFailed,
    LaunchInterrupted,
    PorterError,
    ProgramSyntaxError,
    UsageError,
)
from porter.fs import Image
from porter.native.known_programs import compiled_device
from porter.run import Device, Launch, Program, Result, Stream
from porter.run.device.base import BLOCK
from porter.run.filesystem import mounted
from porter.run.streams.display import Writer, render

F = TypeVar("F", bound=Callable[..., Any])


def program_options(function: F) -> F:
    """Add -c, the program's text, and -n, the number of interpreters, to a command."""

    def check(ctx: click.Context, param: click.Parameter, n: int) -> int:
        if n < 1:
            raise UsageError(f"-n {n}: at least one interpreter is needed")
        return n

    for option in (
        click.option(
            "-n",
            "n",
            type=int,
            default=32,
            show_default=True,
            callback=check,
            help="Number of interpreters.",
        ),
        click.option("-c", "code", metavar="CODE", help="Run this program."),
    ):
        function = option(function)
    return function


def running_options(function: F) -> F:
    """Add launch limits, block size and the number of displayed groups to a command."""
    for option in (
        click.option(
            "--max-groups",
            type=click.IntRange(1),
            default=20,
            show_default=True,
            help="Maximum number of different outputs to show.",
        ),
        click.option(
            "--block",
            type=click.IntRange(1),
            default=BLOCK,
            show_default=True,
            help="Interpreters per block, which syncthreads() synchronizes.",
        ),
        limit_options,
        seconds_option("Seconds until all interpreters are interrupted."),
    ):
        function = option(function)
    return function


def program_of(file: Path | None, code: str | None) -> Program:
    """Return the program in FILE, or CODE. Raises UsageError, ProgramSyntaxError."""
    if (file is None) == (code is None):
        raise UsageError("give either FILE or -c CODE")
    if code is not None:
        return _in_utf8(Program(os.fsencode(code) + b"\n", "<string>"))
    assert file is not None
    try:
        return _in_utf8(Program(file.read_bytes(), str(file)))
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from error


def _in_utf8(program: Program) -> Program:
    """Return `program`; raise ProgramSyntaxError if it is not UTF-8, as CPython does."""
    try:
        program.source.decode()
    except UnicodeDecodeError as error:
        line = program.source.count(b"\n", 0, error.start) + 1
        raise ProgramSyntaxError(
            f'File "{program.name}", line {line}: byte 0x{program.source[error.start]:02x} is not '
            "UTF-8",
            hint="Write programs in UTF-8; in a bytes literal such a byte is written as \\x..",
        ) from error
    return program


@define
class CommandLaunch:
    """The launch of a command.

    Attributes:
        device: The device.
        n: The number of interpreters.
        launch: The options of the launch.
        files: The content of "/".
        shower: Displays output.
        max_groups: The maximum number of displayed groups.
        err: The console for messages of the command.
        stopped: The error that ended the launch early.
    """

    device: Device
    n: int
    launch: Launch
    files: Image | None
    shower: Shower
    max_groups: int
    err: Console
    stopped: LaunchInterrupted | DeviceFailed | None = None

    @classmethod
    def of(
        cls,
        subject: BuildChoice,
        n: int,
        launch: Launch,
        console: ConsoleOptions,
        max_groups: int,
        image: Path | None,
        *,
        fs_shared: bool = False,
        compiled: Program | None = None,
    ) -> CommandLaunch:
        """Open the device and prepare the launch.

        Args:
            subject: The build and target that the user chose.
            n: The number of interpreters.
            launch: Its limits.
            console: The user's choices of streams.
            max_groups: The maximum number of displayed groups.
            image: A littlefs2 image for "/".
            fs_shared: Whether interpreters share one file system.
            compiled: The program to run as native code.

        Raises:
            PorterError: Loading or building failed.
        """
        files = None if image is None else Image.load(image)
        out, err = Console(highlight=False), Console(stderr=True, highlight=False)
        device = subject.open(err)
        if image is None and (size := subject.fs_size(device)):
            files = Image.empty(size)
        shower = Shower(Writer(out), Writer(err), n, max_groups)
        launch = console.apply(subject.sized(launch), n, shower)
        if compiled is not None:
            with show_progress() as progress:
                progress.now("compiling")
                device = compiled_device(device, compiled, launch)
        if files is not None:
            launch = mounted(launch, device, files, n, shared=fs_shared)
        return cls(device, n, launch, files, shower, max_groups, err)

    def run(self, start: Callable[[Device, Launch], Result]) -> Result:
        """Return the result of `start` after displaying the output, also after Ctrl-C."""
        buffered = self.launch.console == "buffer"
        try:
            # Live output needs the terminal for itself, so it excludes a moving line.
            with show_progress(only_moving=True, quiet=not buffered) as progress:
                progress.now(f"{self.n} interpreters")
                result = start(self.device, self.launch)
        except (LaunchInterrupted, DeviceFailed) as error:
            self.stopped, result = error, error.result
        self.shower.finish(result)
        if buffered or result.stdout.longest:
            self._show(result.stdout, self.shower.out)
        syntax = result.statuses.count(result.status, "SYNTAX_ERROR")
        if result.stderr.longest and syntax != self.n:
            self._show(result.stderr, self.shower.err, skip_empty=True)
        return result

    def _show(self, stream: Stream, writer: Writer, *, skip_empty: bool = False) -> None:
        """Display a stream's groups under their banners; nothing if output is not captured."""
        if stream.size:
            writer.write(render(stream.groups, max_groups=self.max_groups, skip_empty=skip_empty))

    def end(self, result: Result) -> None:
        """Raise the launch's error; SystemExit sets the exit code as it does for a process."""
        try:
            if self.stopped is not None:
                raise self.stopped
            result.raise_for_status()
        except (LaunchInterrupted, PorterError):
            self.shower.err.fresh_line()  # a message follows
            raise
        if code := result.exit_status:
            raise click.exceptions.Exit(code)
