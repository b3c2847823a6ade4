"""`porter fuzz`: a coverage-guided fuzzer of the host twin, or a fuzzer of hostile calls.

`--calls` runs on a new build, or on a finished one, which needs no compiler.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.table import Table

from porter.base import paths
from porter.cli._options import MOST_TEST, bounds_checks_flag, seconds_option
from porter.cli._progress import show_progress
from porter.cli._types import PathType
from porter.errors import FuzzFailed, UsageError
from porter.run.built import open_build
from porter_dev.fuzz.calls.session import CallSession, fuzz_calls

if TYPE_CHECKING:
    from porter_dev.fuzz.coverage_fuzzer import CoverageCampaign


def run_calls(
    session: dict[str, Any],
    release: str | None,
    target: str | None,
    variant: str,
    bounds_checks: bool,
) -> None:
    """Run a campaign and print its result. Raises FuzzFailed, UsageError."""
    console = Console(highlight=False)
    folder: Path | None = session.pop("folder")
    if folder is None:
        folder, target = _built(release, target, variant, bounds_checks)
    else:
        target = target or ("cuda" if "cuda" in open_build(folder).whole.targets else "host")
    device = target if variant == "release" else f"{target}-{variant}"
    done = _campaign(CallSession(folder=folder, target=device, **session), console)
    console.print(done.text, soft_wrap=True)
    if done.broken:
        raise FuzzFailed(
            f"{done.broken} programs break an interpreter or a launch",
            hint="They are printed above, reduced; --save FOLDER keeps them.",
        )


def _campaign(session: CallSession, console: Console) -> Any:
    def say(text: str) -> None:
        console.print(text, markup=False, soft_wrap=True)

    with show_progress() as progress:
        progress.now("programs of hostile calls")
        if not session.target.endswith("-asan"):
            return fuzz_calls(session, say)
        from porter.toolchain import children  # calls g++ for its library's path

        with children(session.target):
            return fuzz_calls(session, say)


def _built(
    release: str | None, target: str | None, variant: str, bounds_checks: bool
) -> tuple[Path, str]:
    """Return the folder of a new build, and its target."""
    from porter.cli._building import build_shown
    from porter.settings import load_config

    given = {
        "release": release,
        "target": target,
        "arena": "global",
        "bounds_checks": bounds_checks or None,
    }
    config = load_config(given)
    if len(config.targets) > 1:
        raise UsageError("target: interpreters run on host or cuda, not on all")
    return build_shown(config, variant=variant).folder, config.target


def calls_options(function: Any) -> Any:
    """Add the options of `--calls` to a command, which gets them by name."""
    options = [
        click.option("--calls", is_flag=True, help="Call everything with hostile arguments."),
        click.option("--programs", is_flag=True, help="With --calls: classes with side effects."),
        click.option(
            "--mutate",
            type=PathType(path_type=Path),
            multiple=True,
            metavar="FOLDER",
            help="With --calls: programs of FOLDER in which an integer became huge.",
        ),
        click.option("--seed", metavar="TEXT", default="1", help="With --calls: equal programs."),
        click.option("--count", type=click.IntRange(0), default=0, help="Programs at most [any]."),
        click.option("--target", type=click.Choice(["host", "cuda"]), help="Where calls run."),
        click.option(
            "--variant",
            type=click.Choice(["release", "debug", "asan"]),
            default="release",
            help="How the host twin is compiled for --calls.",
        ),
        bounds_checks_flag,
        click.option("--sandbox", is_flag=True, help="Run the programs in a sandbox."),
        click.option("--batch", type=click.IntRange(0), default=0, help="Programs a launch."),
        click.option("--without", metavar="REGEX", default="", help="No statement has this."),
        click.option(
            "--known",
            type=PathType(file_okay=False, path_type=Path),
            help="Findings of this folder are not told again.",
        ),
        click.option(
            "--build",
            "folder",
            metavar="FOLDER",
            type=PathType(path_type=Path),
            help="Use this finished build with --calls; builds nothing.",
        ),
    ]
    for option in reversed(options):
        function = option(function)
    return function


Folder = PathType(file_okay=False, path_type=Path)
MODES = ("run", "compile")


@click.command("fuzz")
@seconds_option("How long.", name="--minutes", unit="MINUTES", most=MOST_TEST / 60, default=30.0)
@click.option("--mode", type=click.Choice([*MODES, "both"]), default="both", show_default=True)
@click.option("--release", metavar="R", help="Upstream release [newest in the lock].")
@click.option("--work", type=Folder, help="Where corpus and findings are kept [build/fuzz].")
@click.option("--save", type=Folder, help="Put a small corpus, or --calls' findings, there.")
@click.option("--save-bytes", type=int, default=200_000, show_default=True)
@click.option("-j", "--jobs", type=click.IntRange(1), help="Compilers at a time [one a core].")
@calls_options
def command(
    minutes: float,
    mode: str,
    release: str | None,
    work: Path | None,
    save: Path | None,
    save_bytes: int,
    jobs: int | None,
    calls: bool,
    target: str | None,
    variant: str,
    bounds_checks: bool,
    **session: Any,
) -> None:
    """Fuzz the host twin under AddressSanitizer and UBSan; with --calls any build.

    Mode `run` runs each input until it is stopped, `compile` only compiles it, in three ways;
    `both` shares the time. --calls makes programs that call everything that a build has with
    hostile arguments, among sentinels that must stay what they are. Exits with 53 if an input
    breaks an interpreter. --save FOLDER empties FOLDER before it stores the corpus there.
    """
    if calls:
        session.update(save=save, seconds=60 * minutes)
        run_calls(session, release, target, variant, bounds_checks)
        return
    _check_no_calls(session, target, variant, bounds_checks)
    _coverage(minutes, mode, release, work, save, save_bytes, jobs)


def _check_no_calls(
    session: dict[str, Any], target: str | None, variant: str, bounds_checks: bool
) -> None:
    """Raise UsageError for options that belong to --calls."""
    session = {**session, "target": target, "bounds_checks": bounds_checks}
    session.update(variant=variant != "release", seed=session["seed"] != "1")
    session["build"] = session.pop("folder")
    if wrong := [name for name, value in session.items() if value]:
        raise click.UsageError(f"--{wrong[0]} is for --calls")


def _coverage(
    minutes: float,
    mode: str,
    release: str | None,
    work: Path | None,
    save: Path | None,
    save_bytes: int,
    jobs: int | None,
) -> None:
    """Run libFuzzer's campaign, which needs compilers; `--calls --build` must not need any."""
    from porter.cli._building import build_shown
    from porter.settings import load_config
    from porter_dev.fuzz.coverage_fuzzer import (
        HARNESS,
        LONGEST,
        build_fuzzer,
        fuzz,
        libfuzzer,
        minimise,
    )

    console = Console()
    libfuzzer()  # report a missing libFuzzer before a build that takes minutes
    config = load_config({"release": release, "target": "host", "arena": "global"})
    built = build_shown(config, jobs=jobs)
    with show_progress() as progress:
        progress.now("building the fuzzer")
        program = build_fuzzer(built.sources, jobs)
    folder = work or paths.build_dir() / "fuzz" / config.release
    modes = MODES if mode == "both" else (mode,)
    seeds = [HARNESS / "seeds"]
    kept = (paths.checkout() or folder) / "tests" / "fuzz" / "corpus"
    seeds += [kept] if kept.is_dir() else []
    campaigns = []
    for each in modes:
        with show_progress() as progress:
            progress.now(f"fuzzing ({each}) for {minutes / len(modes):g} minutes")
            seconds = 60 * minutes / len(modes)
            campaigns.append(fuzz(program, each, seconds, folder / each, seeds))
    _show(campaigns, console)
    if save is not None:
        corpora = [folder / each / "corpus" for each in modes]
        with show_progress() as progress:
            progress.now("making the corpus small")
            size = minimise(program, [*seeds, *corpora], save, save_bytes, LONGEST)
        console.print(f"{save}: {sum(1 for _ in save.iterdir())} inputs, {size} bytes")
    found = [path for campaign in campaigns for path in campaign.found]
    if found:
        raise FuzzFailed(
            f"{len(found)} inputs break an interpreter: {', '.join(map(str, found[:5]))}",
            hint=f"`PORTER_FUZZ_MODE=... {program} INPUT` shows how.",
        )


def _show(campaigns: list[CoverageCampaign], console: Console) -> None:
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
