"""`porter doctor`: report what this machine has and lacks."""

from __future__ import annotations

import json

import attrs
import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from porter.cli._progress import show_progress
from porter.doctor import examine
from porter.errors import ToolMissing


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(as_json: bool) -> None:
    """Check this machine for compilers, GPUs, packages and builds, and advise on missing ones.

    Fails only if a requirement of the host twin is missing.
    """
    with show_progress() as progress:
        progress.now("checking this machine")
        findings = examine()
    if as_json:
        print(json.dumps([attrs.asdict(finding) for finding in findings], indent=2))
    else:
        table = Table("", "what", "found", "what to do")
        marks = {"ok": ("ok", "green"), "lacks": ("-", "yellow"), "broken": ("!", "red")}
        for finding in findings:
            word, style = marks[finding.state]
            if finding.essential and finding.state != "ok":
                style = "bold red"
            cells = (Text(word, style), finding.name, Text(finding.detail), Text(finding.advice))
            table.add_row(*cells)
        Console().print(table)
    lacking = [f.name for f in findings if f.essential and f.state != "ok"]
    if lacking:
        raise ToolMissing(
            f"the host twin needs {', '.join(lacking)}",
            hint="The table says how to get it.",
        )
