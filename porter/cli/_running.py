"""What commands that run a program have in common: options, the launch, and what is shown of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from attrs import define
from rich.console import Console

from porter.array.alone import compiled_device
from porter.cli._console import ConsoleOptions, Shower
from porter.cli._options import limit_options, seconds_option
from porter.cli._subject import BuildChoice
from porter.cli._telling import telling
from porter.errors import (
    DeviceFailed,
    LaunchInterrupted,
    PorterError,
    ProgramSyntaxError,
    UsageError,
)
from porter.fs import Image
from porter.run import Device, Launch, Program, Result, Stream
from porter.run.device.base import BLOCK
from porter.run.launch.filesystem import mounted
from porter.run.streams.banners import render
from porter.run.streams.writer import Writer

F = TypeVar("F", bound=Callable[..., Any])


def program_options(function: F) -> F:
    """Give a command -c, the program's text, and -n, how many interpreters run it."""

    def check(ctx: click.Context, param: click.Parameter, n: int) -> int:
        if n < 1:
            raise UsageError(f"-n {n}: at least one interpreter is needed")
        return n

    for option in (
        click.option(
            "-n", "n", type=int, default=32, show_default=True, callback=check, help="Interpreters."
        ),
        click.option("-c", "code", metavar="CODE", help="Run this program."),
    ):
        function = option(function)
    return function


def running_options(function: F) -> F:
    """Give a command the limits of a launch, its blocks, and how many groups are shown."""
    for option in (
        click.option("--max-groups", type=click.IntRange(1), default=20, show_default=True),
        click.option(
            "--block",
            type=click.IntRange(1),
            default=BLOCK,
            show_default=True,
            help="Interpreters of a block: syncthreads() waits for these.",
        ),
        limit_options,
        seconds_option("Seconds until the interpreters are interrupted."),
    ):
        function = option(function)
    return function


def program_of(file: Path | None, code: str | None) -> Program:
    """The program in FILE, or CODE. Raises UsageError, ProgramSyntaxError."""
    if (file is None) == (code is None):
        raise UsageError("give a FILE or -c CODE, and not both")
    if code is not None:
        return _in_utf8(Program(os.fsencode(code) + b"\n", "<string>"))
    assert file is not None
    try:
        return _in_utf8(Program(file.read_bytes(), str(file)))
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from error


def _in_utf8(program: Program) -> Program:
    """`program`, refused as CPython refuses it when its bytes are no text."""
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
    """One launch of a command.

    files: what interpreters find at "/". shower: shows what they write. err: of the command itself.
    stopped: what ended the launch early.
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
        """On what the user chose. launch: its limits. Raises what loading and building raise.

        compiled: the program that will run as machine code.
        """
        files = None if image is None else Image.load(image)
        out, err = Console(highlight=False), Console(stderr=True, highlight=False)
        device = subject.open(err)
        if image is None and (size := subject.fs_size(device)):
            files = Image.empty(size)
        shower = Shower(Writer(out), Writer(err), n, max_groups)
        launch = console.apply(subject.sized(launch), n, shower)
        if compiled is not None:
            with telling() as tell:
                tell.now("compiling")
                device = compiled_device(device, compiled, launch)
        if files is not None:
            launch = mounted(launch, device, files, n, shared=fs_shared)
        return cls(device, n, launch, files, shower, max_groups, err)

    def run(self, start: Callable[[Device, Launch], Result]) -> Result:
        """What `start` gives, once what interpreters wrote is shown; also after Ctrl-C."""
        buffered = self.launch.console == "buffer"
        try:
            # What comes while programs run needs the terminal for itself.
            with telling(only_moving=True, quiet=not buffered) as tell:
                tell.now(f"{self.n} interpreters")
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
        """Write a stream's groups under their banners; nothing where nothing is kept."""
        if stream.size:
            writer.write(render(stream.groups, max_groups=self.max_groups, skip_empty=skip_empty))

    def end(self, result: Result) -> None:
        """Raise what the launch came to; SystemExits end the command as they end a process."""
        try:
            if self.stopped is not None:
                raise self.stopped
            result.raise_for_status()
        except (LaunchInterrupted, PorterError):
            self.shower.err.fresh_line()  # a message follows
            raise
        if code := result.exit_status:
            raise click.exceptions.Exit(code)
