"""`porter run`: one program on many interpreters."""

from __future__ import annotations

import os
from pathlib import Path

import click
import numpy as np
from rich.console import Console

from porter.cli._console import ConsoleOptions, Shower, console_options
from porter.cli._options import seconds_option
from porter.cli._subject import BuildChoice, subject_options
from porter.errors import (
    FileProblem,
    LaunchFailed,
    LaunchInterrupted,
    NotEnoughMemory,
    PorterError,
    ProgramFailed,
    ProgramSyntaxError,
    UsageError,
)
from porter.fs import Image
from porter.run import Device, Launch, Program, Result, Stream, run
from porter.run.banners import render
from porter.run.device import BLOCK
from porter.run.filesystem import mounted, written
from porter.run.lacks import advice
from porter.run.result import exit_status
from porter.run.writer import Writer


def _program(file: Path | None, code: str | None) -> Program:
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


def _check_files(
    n: int, image: Path | None, fs_shared: bool, save: bool, save_from: int | None
) -> None:
    """Raise UsageError for options of a file system that ask for what is not there."""
    if save and image is None:
        raise UsageError("--save: there is no image to save to; give --fs IMAGE")
    if save_from is not None and (fs_shared or not save):
        raise UsageError("--save-from: it is for --save of private file systems")
    if not 0 <= (save_from or 0) < n:
        raise UsageError(f"--save-from {save_from}: there are interpreters 0 to {n - 1}")
    if fs_shared and image is None:
        raise UsageError("--fs-shared: there is no image to share; give --fs IMAGE")


def show(
    stream: Stream, writer: Writer, max_groups: int | None, *, skip_empty: bool = False
) -> None:
    """Write a stream's groups under their banners; nothing where nothing is kept."""
    if stream.size:
        writer.write(render(stream.groups, max_groups=max_groups, skip_empty=skip_empty))


def judge(result: Result, device: Device) -> None:
    """Raise what the statuses say; nothing when all interpreters ended well.

    SystemExits end the command with the first of their codes that is not 0.
    """
    values = device.built.constants
    n = len(result.status)
    if wrong := result.count(values["GPUSNEK_SYNTAX_ERROR"]):
        if wrong == n and len(result.stderr.groups) == 1:
            message = result.stderr.groups[0].text.decode("utf-8", "replace").strip()
            raise ProgramSyntaxError(message or "the program has a syntax error")
        raise ProgramSyntaxError(f"the program has a syntax error in {wrong} interpreters")
    if small := result.count(values["GPUSNEK_NO_MEMORY"]):
        raise NotEnoughMemory(
            f"{small} of {n} interpreters could not start: the heap is too small",
            hint="Make --heap larger.",
        )
    if unmounted := result.count(values["GPUSNEK_NO_FILE_SYSTEM"]):
        raise FileProblem(f"{unmounted} of {n} interpreters could not mount their file system")
    broken = result.status < 0
    if broken.any():
        names = {v: k for k, v in values.items() if k.startswith("GPUSNEK_STATUS_")}
        kinds = ", ".join(
            f"{names.get(int(code), code)} {int(count)}x"
            for code, count in zip(
                *np.unique(result.status[broken], return_counts=True), strict=True
            )
        )
        raise LaunchFailed(f"interpreters broke: {kinds}")
    exited = result.status == values["GPUSNEK_EXIT"]
    failed = int(n - exited.sum() - result.count(values["GPUSNEK_OK"]))
    if failed:
        why = "were interrupted or failed" if result.interrupted else "ended with an error"
        hint = advice(result.lacks, n)
        raise ProgramFailed(f"{failed} of {n} interpreters {why}", hint=hint)
    if code := exit_status(result.exit_code[exited]):
        raise click.exceptions.Exit(code)


@click.command("run")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("-c", "code", metavar="CODE", help="Run this program.")
@click.option("-n", "n", type=int, default=32, show_default=True, help="Interpreters.")
@seconds_option("Seconds until the interpreters are interrupted.")
@click.option(
    "--block",
    type=click.IntRange(1),
    default=BLOCK,
    show_default=True,
    help="Interpreters of a block: syncthreads() waits for these.",
)
@click.option("--max-groups", type=click.IntRange(1), default=20, show_default=True)
@console_options
@click.option(
    "--fs",
    "image",
    metavar="IMAGE",
    type=click.Path(path_type=Path),
    help="littlefs2 image that interpreters find at /.",
)
@click.option(
    "--fs-shared/--fs-private",
    "fs_shared",
    default=False,
    help="One image for all, or a copy for each. [private]",
)
@click.option("--save", is_flag=True, help="Write the file system back to IMAGE.")
@click.option("--save-from", type=int, help="Whose private one: its threadIdx. [0]")
@click.option("--times", is_flag=True, help="Show the time of each step.")
@subject_options
def command(
    subject: BuildChoice,
    file: Path | None,
    code: str | None,
    n: int,
    timeout: float | None,
    block: int,
    max_groups: int,
    console: ConsoleOptions,
    image: Path | None,
    fs_shared: bool,
    save: bool,
    save_from: int | None,
    times: bool,
) -> None:
    """Run a Python program on many interpreters and merge what they print."""
    program = _program(file, code)
    if n < 1:
        raise UsageError(f"-n {n}: at least one interpreter is needed")
    _check_files(n, image, fs_shared, save, save_from)
    files = None if image is None else Image.load(image)
    out, err = Console(highlight=False), Console(stderr=True, highlight=False)
    device = subject.open(err)
    if image is None and (size := subject.fs_size(device)):
        files = Image.empty(size)
    stdout, stderr = Writer(out), Writer(err)
    shower = Shower(stdout, stderr, n, max_groups)
    launch = console.apply(subject.sized(Launch(deadline=timeout, block=block)), n, shower)
    if files is not None:
        launch = mounted(launch, device, files, n, shared=fs_shared)
    stopped: LaunchInterrupted | None = None
    try:
        result = run(device, [program], n, launch)
    except LaunchInterrupted as error:
        stopped, result = error, error.result
    shower.finish(result)
    if console.mode == "buffer" or result.stdout.longest:
        show(result.stdout, stdout, max_groups)
    syntax = result.count(device.built.constants["GPUSNEK_SYNTAX_ERROR"])
    if result.stderr.longest and syntax != n:
        show(result.stderr, stderr, max_groups, skip_empty=True)
    if save and image is not None:
        written(launch, device, n, save_from or 0, str(image)).save(image)
    if times:
        stderr.fresh_line()
        steps = {**subject.seconds, **result.timings}
        err.print("  ".join(f"{name} {value:.3f} s" for name, value in steps.items()))
    try:
        if stopped is not None:
            raise stopped
        judge(result, device)
    except (LaunchInterrupted, PorterError):
        stderr.fresh_line()  # a message follows
        raise
