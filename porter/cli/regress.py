"""`porter regress`: run releases through every stage and compare with the stored baseline."""

from __future__ import annotations

import json
import time
from functools import partial
from pathlib import Path

import click
from rich.console import Console

from porter.base import paths
from porter.base.files import write_whole
from porter.cli._progress import show_progress
from porter.cli._types import NAME, PathType
from porter.conformance.suite import events_of
from porter.errors import UsageError
from porter.regress import regress_report
from porter.regress.baseline import SHIPPED, read_baseline, updated, write_baseline
from porter.regress.comparison import compare, verdict
from porter.regress.release_arguments import wanted_releases
from porter.regress.release_run import Options, run_release
from porter.version import __version__

FilePath = PathType(dir_okay=False, path_type=Path)
# By default device code is compiled if there is an nvcc, and run if there is a GPU.
EVERYWHERE = "possible"
TARGETS = {
    EVERYWHERE: ("host", "cuda"),
    "host": ("host",),
    "cuda": ("cuda",),
    "both": ("host", "cuda"),
}


@click.command("regress")
@click.argument("releases", nargs=-1, metavar="[RELEASE|master|FOLDER|TARBALL]...", type=NAME)
@click.option(
    "--all", "everything", is_flag=True, help="All releases of the lock and of this checkout."
)
@click.option("--latest", is_flag=True, help="The newest release of any origin.")
@click.option(
    "--target",
    type=click.Choice(list(TARGETS)),
    default=EVERYWHERE,
    show_default=True,
    help="`possible`: the host twin, and device code if there is an nvcc.",
)
@click.option("--strict", is_flag=True, help="Fail if a patch does not apply.")
@click.option("--baseline", type=FilePath, default=SHIPPED, help="Compare with this file.")
@click.option(
    "--update-baseline", is_flag=True, help="Store the results of this run as the baseline."
)
@click.option("--record", is_flag=True, help="Write a new release's hash into upstream/lock.toml.")
@click.option("--json", "json_file", type=FilePath, help="Write all results as JSON.")
@click.option("--report", "report_file", type=FilePath, help="Write the report as Markdown.")
@click.option("-j", "--jobs", type=click.IntRange(1), help="Parallel processes [one per core].")
def command(
    releases: tuple[str, ...],
    everything: bool,
    latest: bool,
    target: str,
    strict: bool,
    baseline: Path,
    update_baseline: bool,
    record: bool,
    json_file: Path | None,
    report_file: Path | None,
    jobs: int | None,
) -> None:
    """Run releases through all stages and compare with the baseline.

    The stages are sync, patch, rewrite, build, smoke and conformance. Without arguments: the newest
    release of the lock. `master` is upstream's development branch; ./master is a folder of that
    name. A stage with unchanged inputs does not run again. The exit code is 10 to 19 if a tool
    fails, 20 to 29 if porter cannot handle a change of upstream, and 50 or 51 if a result that was
    right in the baseline is wrong.
    """
    console = Console(highlight=False)
    if update_baseline and baseline == SHIPPED and paths.checkout() is None:
        raise UsageError("--update-baseline needs a source checkout, or --baseline FILE")
    with show_progress(prefix="") as progress:
        options = Options(
            targets=TARGETS[target],
            where_possible=target == EVERYWHERE,
            strict=strict,
            jobs=jobs,
            events=events_of(progress, progress.say),
            progress=progress,
        )
        wanted = wanted_releases(
            releases, everything=everything, latest=latest, record=record, say=progress.say
        )
        known = read_baseline(baseline)
        started = time.monotonic()
        runs = [run_release(one.name, partial(one.bring, progress.say), options) for one in wanted]
    changes = [compare(run, known) for run in runs]
    error = verdict(runs, changes)
    code = error.exit_code if error else 0
    if json_file:
        text = json.dumps(regress_report.as_json(runs, changes, code), indent=1) + "\n"
        write_whole(json_file, text, parents=True)
    if report_file:
        about = {
            "porter": __version__,
            "seconds": f"{time.monotonic() - started:.0f}",
            "exit code": str(code),
        }
        write_whole(report_file, regress_report.as_markdown(runs, changes, about), parents=True)
    if update_baseline:
        write_baseline(baseline, updated(known, runs))
    regress_report.show(runs, changes, console)
    if error:
        raise error
