"""`porter run`: run one program in many interpreters."""

from __future__ import annotations

from pathlib import Path

import click

from porter.cli._console import ConsoleOptions, console_options
from porter.cli._running import CommandLaunch, program_of, program_options, running_options
from porter.cli._subject import BuildChoice, devices_option, subject_options
from porter.cli._types import PathType
from porter.errors import UsageError
from porter.native.known_programs import compiled_phase
from porter.run import Launch, run
from porter.run.filesystem import written


def _check_files(
    n: int, image: Path | None, fs_shared: bool, save: bool, save_from: int | None
) -> None:
    """Raise UsageError for file system options that contradict each other."""
    if save and image is None:
        raise UsageError("--save: there is no image to save to; give --fs IMAGE")
    if save_from is not None and (fs_shared or not save):
        raise UsageError("--save-from: it requires --save and private file systems")
    if not 0 <= (save_from or 0) < n:
        raise UsageError(f"--save-from {save_from}: there are interpreters 0 to {n - 1}")
    if fs_shared and image is None:
        raise UsageError("--fs-shared: there is no image to share; give --fs IMAGE")


@click.command("run")
@click.argument("file", required=False, type=PathType(path_type=Path))
@program_options
@running_options
@console_options
@click.option(
    "--fs",
    "image",
    metavar="IMAGE",
    type=PathType(path_type=Path),
    help="littlefs2 image to mount at /.",
)
@click.option(
    "--fs-shared/--fs-private",
    "fs_shared",
    default=False,
    help="Share one file system, or give each interpreter a copy [private].",
)
@click.option("--save", is_flag=True, help="Write the file system back to IMAGE.")
@click.option(
    "--save-from",
    type=int,
    help="threadIdx of the interpreter whose private file system is saved [0].",
)
@click.option(
    "--sandbox", is_flag=True, help="Programs cannot access addresses; bytecode is verified."
)
@click.option("--compiled", is_flag=True, help="Compile the program to native code and run that.")
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
    compiled: bool,
) -> None:
    """Run a Python program on many interpreters and merge their outputs."""
    program = program_of(file, code)
    _check_files(n, image, fs_shared, save, save_from)
    launch = Launch(
        timeout=timeout, max_steps=max_steps, deadline=deadline, block=block, sandbox=sandbox
    )
    prepared = CommandLaunch.of(
        subject, n, launch, console, max_groups, image,
        fs_shared=fs_shared, compiled=program if compiled else None,
    )  # fmt: skip
    phase = brought = None
    if compiled:
        phase, brought = compiled_phase(prepared.device, program, n, prepared.launch)
    result = prepared.run(lambda device, launch: run(device, [program], n, launch, phase))
    if save and image is not None:
        written(prepared.launch, prepared.device, n, save_from or 0, str(image)).save(image)
    if times:
        prepared.shower.err.fresh_line()
        steps = {**subject.seconds, **result.timings}
        prepared.err.print("  ".join(f"{name} {value:.3f} s" for name, value in steps.items()))
        if brought is not None and (report := brought.report()) is not None:
            prepared.err.print(repr(report), markup=False, soft_wrap=True)
    prepared.end(result)
