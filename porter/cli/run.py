"""`porter run`: one program on many interpreters."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from porter.cli._console import ConsoleOptions, Shower, console_options
from porter.cli._running import end, program_of, running_options, show_output
from porter.cli._subject import BuildChoice, devices_option, subject_options
from porter.cli._telling import telling
from porter.errors import (
    DeviceFailed,
    LaunchInterrupted,
    UsageError,
)
from porter.fs import Image
from porter.run import Launch, run
from porter.run.launch.filesystem import mounted, written
from porter.run.streams.writer import Writer


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


@click.command("run")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("-c", "code", metavar="CODE", help="Run this program.")
@click.option("-n", "n", type=int, default=32, show_default=True, help="Interpreters.")
@running_options
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
@click.option("--sandbox", is_flag=True, help="Programs name no address and bring no code in.")
@click.option("--times", is_flag=True, help="Show the time of each step.")
@devices_option
@subject_options
def command(
    subject: BuildChoice,
    file: Path | None,
    code: str | None,
    n: int,
    timeout: float | None,
    max_steps: int | None,
    deadline: float | None,
    block: int,
    max_groups: int,
    console: ConsoleOptions,
    image: Path | None,
    fs_shared: bool,
    save: bool,
    save_from: int | None,
    times: bool,
    sandbox: bool,
) -> None:
    """Run a Python program on many interpreters and merge what they print."""
    program = program_of(file, code)
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
    launch = Launch(
        timeout=timeout, max_steps=max_steps, deadline=deadline, block=block, sandbox=sandbox
    )
    launch = console.apply(subject.sized(launch), n, shower)
    if files is not None:
        launch = mounted(launch, device, files, n, shared=fs_shared)
    stopped: LaunchInterrupted | DeviceFailed | None = None
    try:
        # What comes while programs run needs the terminal for itself.
        with telling(only_moving=True, quiet=console.mode != "buffer") as tell:
            tell.now(f"{n} interpreters")
            result = run(device, [program], n, launch)
    except (LaunchInterrupted, DeviceFailed) as error:
        stopped, result = error, error.result
    buffered = console.mode == "buffer"
    show_output(result, n, shower, buffered=buffered, max_groups=max_groups)
    if save and image is not None:
        written(launch, device, n, save_from or 0, str(image)).save(image)
    if times:
        stderr.fresh_line()
        steps = {**subject.seconds, **result.timings}
        err.print("  ".join(f"{name} {value:.3f} s" for name, value in steps.items()))
    end(result, stopped, stderr)
