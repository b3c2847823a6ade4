"""`porter build`: make a host twin and a device build from a release."""

from __future__ import annotations

import click
from rich.console import Console
from rich.table import Table

from porter.cli._building import build_shown
from porter.cli._options import build_options
from porter.compile.flags import MOST_REGISTERS, REGISTERS, VARIANTS
from porter.config import BuildConfig
from porter.pipeline import STAGES
from porter.run.built import open_build
from porter.run.footprint import describe, on_gpu


@click.command("build")
@build_options
@click.option("-j", "--jobs", type=click.IntRange(1), help="Parallel compilers [one per core].")
@click.option(
    "--variant",
    type=click.Choice(sorted(VARIANTS)),
    default="release",
    show_default=True,
    help="How the host twin is compiled.",
)
@click.option(
    "--registers",
    type=click.IntRange(32, MOST_REGISTERS),
    default=REGISTERS,
    show_default=True,
    help="Cap on registers per device thread.",
)
@click.option("--strict", is_flag=True, help="Fail if a patch does not apply to the release.")
def command(
    config: BuildConfig, jobs: int | None, variant: str, registers: int, strict: bool
) -> None:
    """Rewrite a release and compile it."""
    console = Console(highlight=False)
    done = build_shown(
        config, variant=variant, jobs=jobs, registers=registers, strict=strict, always=True
    )
    table = Table("stage", "seconds", "done", box=None)
    steps = ", ".join(f"{name} {n} steps" for name, n in done.compiled.steps.items() if n)
    notes = {
        "preprocess": f"{done.units} units",
        "rewrite": f"{done.rewritten} units rewritten" if done.rewritten else "up to date",
        "compile": steps or "up to date",
    }
    for stage in STAGES:
        table.add_row(stage, f"{done.seconds[stage]:.1f}", notes.get(stage, ""))
    console.print(table)
    console.print(describe(on_gpu(open_build(done.folder))))
    console.print(str(done.folder), soft_wrap=True)
