"""`porter fuzz`: a coverage-guided fuzzer on the host twin."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from porter.base import paths
from porter.cli._building import build_shown
from porter.cli._options import MOST_TEST, seconds_option
from porter.errors import FuzzFailed
from porter.fuzz.building import build_fuzzer, libfuzzer
from porter.fuzz.fuzzing import LONGEST, MODES, Campaign, fuzz, minimise
from porter.settings import load_config

Folder = click.Path(file_okay=False, path_type=Path)


@click.command("fuzz")
@seconds_option("How long.", name="--minutes", unit="MINUTES", most=MOST_TEST / 60, default=30.0)
@click.option("--mode", type=click.Choice([*MODES, "both"]), default="both", show_default=True)
@click.option("--release", metavar="R", help="Upstream release [newest in the lock].")
@click.option("--work", type=Folder, help="Where corpus and findings are kept [build/fuzz].")
@click.option("--save", type=Folder, help="Put a small corpus there; what was there goes.")
@click.option("--save-bytes", type=int, default=200_000, show_default=True)
@click.option("-j", "--jobs", type=click.IntRange(1), help="Compilers at a time [one a core].")
def command(
    minutes: float,
    mode: str,
    release: str | None,
    work: Path | None,
    save: Path | None,
    save_bytes: int,
    jobs: int | None,
) -> None:
    """Fuzz lexer, parser, compiler and VM of the host twin under AddressSanitizer and UBSan.

    Mode `run` runs each input until it is stopped, `compile` only compiles it, in three ways;
    `both` shares the time. Exits with 53 if an input breaks an interpreter.
    """
    console = Console()
    libfuzzer()  # says that it is missing before a build that takes minutes
    config = load_config({"release": release, "target": "host", "arena": "global"})
    built = build_shown(config, jobs=jobs)
    with console.status("building the fuzzer"):
        program = build_fuzzer(built.sources, jobs)
    folder = work or paths.build_dir() / "fuzz" / config.release
    modes = MODES if mode == "both" else (mode,)
    seeds = [paths.templates_dir() / "fuzz" / "seeds"]
    kept = (paths.checkout() or folder) / "tests" / "fuzz" / "corpus"
    seeds += [kept] if kept.is_dir() else []
    campaigns = []
    for each in modes:
        with console.status(f"fuzzing ({each}) for {minutes / len(modes):g} minutes"):
            seconds = 60 * minutes / len(modes)
            campaigns.append(fuzz(program, each, seconds, folder / each, seeds))
    _show(campaigns, console)
    if save is not None:
        corpora = [folder / each / "corpus" for each in modes]
        size = minimise(program, [*seeds, *corpora], save, save_bytes, LONGEST)
        console.print(f"{save}: {sum(1 for _ in save.iterdir())} inputs, {size} bytes")
    found = [path for campaign in campaigns for path in campaign.found]
    if found:
        raise FuzzFailed(
            f"{len(found)} inputs break an interpreter: {', '.join(map(str, found[:5]))}",
            hint=f"`PORTER_FUZZ_MODE=... {program} INPUT` shows how.",
        )


def _show(campaigns: list[Campaign], console: Console) -> None:
    table = Table("mode", "inputs tried", "minutes", "corpus", "found")
    for one in campaigns:
        row = (
            one.mode,
            f"{one.runs}",
            f"{one.seconds / 60:.1f}",
            f"{one.corpus}",
            f"{len(one.found)}",
        )
        table.add_row(*row)
    console.print(table)
