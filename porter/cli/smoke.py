"""`porter smoke`: run a few programs in many interpreters and compare with CPython."""

from __future__ import annotations

import json

import click
from rich.console import Console

from porter.cli._progress import show_progress
from porter.cli._subject import BuildChoice, subject_options
from porter.errors import SmokeFailed
from porter.run import Launch
from porter.smoke import smoke


@click.command("smoke")
@click.option(
    "-n", "n", type=int, default=1 << 20, show_default=True, help="Number of interpreters."
)
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
@subject_options
def command(subject: BuildChoice, n: int, as_json: bool) -> None:
    """Run a few programs on many interpreters and compare their outputs with CPython's."""
    out = Console(highlight=False)
    device = subject.open(Console(stderr=True, highlight=False))
    with show_progress() as progress:
        progress.now(f"smoke programs on {n} interpreters")
        checks = smoke(device, n, subject.sized(Launch()))
    if as_json:
        out.print_json(json.dumps([check.as_dict() for check in checks]))
    else:
        for check in checks:
            mark = "ok  " if check.passed else "FAIL"
            out.print(f"{mark} {check.program:<16} {n}x  {check.seconds * 1e3:9.1f} ms")
    failed = [check.program for check in checks if not check.passed]
    if failed:
        raise SmokeFailed(f"wrong output from: {', '.join(failed)}")
