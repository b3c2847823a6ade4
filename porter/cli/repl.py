"""`porter repl`: the Mega-REPL."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from porter.base.sizes import parse_size
from porter.cli._options import limit_options, seconds_option
from porter.cli._progress import show_progress
from porter.cli._subject import BuildChoice, devices_option, subject_options
from porter.cli._types import PathType
from porter.errors import ProgramFailed, UsageError
from porter.fs import Image
from porter.repl import Session, Shell
from porter.repl.session import fitting
from porter.repl.shell import feed, read_lines
from porter.run import Launch
from porter.run.filesystem import written

ON_GPU, ON_HOST = 1 << 20, 1 << 10  # default numbers of interpreters


def _bytes(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    return None if value is None else parse_size(value, param.opts[0])


@click.command("repl")
@click.option(
    "-n",
    "n",
    type=int,
    help=f"Number of interpreters [{ON_GPU} on a GPU, else {ON_HOST}; fewer if memory is short].",
)
@click.option(
    "--max-groups",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Maximum number of different outputs to show.",
)
@click.option(
    "--fs",
    "image",
    metavar="IMAGE",
    type=PathType(path_type=Path),
    help="littlefs2 image that all interpreters share, mounted at /.",
)
@click.option("--save", is_flag=True, help="Write the file system back to IMAGE at the end.")
@click.option(
    "--outbuf", metavar="SIZE", callback=_bytes, help="Size of outbuf [3 bytes per interpreter]."
)
@seconds_option("Seconds until an input is interrupted.")
@limit_options
@click.option("--history", type=PathType(path_type=Path), help="File with the history of inputs.")
@click.option(
    "--sandbox", is_flag=True, help="Programs cannot access addresses; bytecode is verified."
)
@devices_option
@subject_options
def command(
    subject: BuildChoice,
    n: int | None,
    max_groups: int,
    image: Path | None,
    save: bool,
    outbuf: int | None,
    timeout: float | None,
    max_steps: int | None,
    deadline: float | None,
    history: Path | None,
    sandbox: bool,
) -> None:
    """Start an interactive prompt for many Python interpreters, whose outputs are merged.

    Statements can also come from a file or pipe; the exit code then tells whether one failed.
    """
    if save and image is None:
        raise UsageError("--save: there is no image to save to; give --fs IMAGE")
    if n is not None and n < 1:
        raise UsageError(f"-n {n}: at least one interpreter is needed")
    files = None if image is None else Image.load(image)
    out, err = Console(highlight=False), Console(stderr=True, highlight=False)
    terminal = sys.stdin.isatty() and sys.stdout.isatty()
    device = subject.open(err)
    limits = Launch(max_steps=max_steps, deadline=deadline, sandbox=sandbox)
    sizes = subject.sized(limits)
    n = n or fitting(device, ON_GPU if "cuda" in device.name else ON_HOST, sizes)
    if terminal:
        out.print(Text(f"Starting gpusnek REPL with {n:,} snek..."))
    with show_progress() as progress:
        progress.now(f"starting {n} interpreters")
        session = Session.open(
            device,
            n,
            files=files,
            outbuf_size=outbuf,
            timeout=timeout,
            sizes=sizes,
        )
    shell = Shell(session, out, err, max_groups)
    if terminal:
        from porter.repl.terminal import interact

        interact(shell, history)
    else:
        feed(shell, read_lines(sys.stdin.buffer))
    over = shell.over
    shell.finish()
    if image is not None and save:
        written(session.launch, device, n, 0, str(image)).save(image)
    if over and shell.exit_code:
        raise click.exceptions.Exit(shell.exit_code)
    if shell.failed and not terminal:
        raise ProgramFailed("an input failed in at least one interpreter")
