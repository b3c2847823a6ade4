"""What commands that run a program have in common: its options, and what comes at its end."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from porter.cli._console import Shower
from porter.cli._options import limit_options, seconds_option
from porter.errors import (
    DeviceFailed,
    LaunchInterrupted,
    PorterError,
    ProgramSyntaxError,
    UsageError,
)
from porter.run import Program, Result, Stream
from porter.run.device.base import BLOCK
from porter.run.streams.banners import render
from porter.run.streams.writer import Writer

F = TypeVar("F", bound=Callable[..., Any])


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


def show_output(result: Result, n: int, shower: Shower, *, buffered: bool, max_groups: int) -> None:
    """Write what the interpreters of a launch that has ended wrote, but for what went out before.

    buffered: nothing went out before.
    """
    shower.finish(result)
    if buffered or result.stdout.longest:
        _show(result.stdout, shower.out, max_groups)
    syntax = result.statuses.count(result.status, "SYNTAX_ERROR")
    if result.stderr.longest and syntax != n:
        _show(result.stderr, shower.err, max_groups, skip_empty=True)


def _show(
    stream: Stream, writer: Writer, max_groups: int | None, *, skip_empty: bool = False
) -> None:
    """Write a stream's groups under their banners; nothing where nothing is kept."""
    if stream.size:
        writer.write(render(stream.groups, max_groups=max_groups, skip_empty=skip_empty))


def end(result: Result, stopped: LaunchInterrupted | DeviceFailed | None, stderr: Writer) -> None:
    """Raise what the launch came to; SystemExits end the command as they end a process."""
    try:
        if stopped is not None:
            raise stopped
        result.raise_for_status()
    except (LaunchInterrupted, PorterError):
        stderr.fresh_line()  # a message follows
        raise
    if code := result.exit_status:
        raise click.exceptions.Exit(code)
