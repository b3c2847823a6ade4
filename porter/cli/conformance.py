"""`porter conformance`: upstream's own tests on a build."""

from __future__ import annotations

import time
from pathlib import Path

import click
from rich.console import Console

from porter import paths
from porter.compile.flags import VARIANTS
from porter.conformance import backends, library, report, selection
from porter.conformance.discovery import discover
from porter.conformance.expected import find_cpython
from porter.conformance.progress import showing
from porter.conformance.skips import DEFAULT_LIST, load
from porter.conformance.suite import Suite
from porter.errors import ConformanceRegression, UsageError
from porter.run.sanitizer import children
from porter.settings import load_config
from porter.sync.syncing import tests_of

FilePath = click.Path(dir_okay=False, path_type=Path)


@click.command("conformance")
@click.argument("tests", nargs=-1, metavar="[DIR|TEST]...")
@click.option(
    "--target",
    type=click.Choice(["host", "cuda", "reference"]),
    help="The host twin, the GPU [where there is one], or upstream's C as gcc compiles it.",
)
@click.option(
    "--variant",
    type=click.Choice(sorted(VARIANTS)),
    default="release",
    show_default=True,
    help="How the host twin is compiled.",
)
@click.option("--release", metavar="R", help="Upstream release [newest in the lock].")
@click.option("--heap", metavar="SIZE", help=f"Python heap [{backends.SIZES['heap']}].")
@click.option("--stack", metavar="SIZE", help=f"C stack [{backends.SIZES['stack']}].")
@click.option("--pystack", metavar="SIZE", help=f"Frame stack [{backends.SIZES['pystack']}].")
@click.option("--stdout", metavar="SIZE", help=f"Output kept [{backends.SIZES['stdout']}].")
@click.option("--arena", type=click.Choice(["local", "global"]), help="[global]")
@click.option("--gc-stress", is_flag=True, help="Collect before every allocation.")
@click.option("--timeout", type=float, default=30.0, show_default=True, help="Seconds a test.")
@click.option("--list", "only_list", is_flag=True, help="Print the tests and run none.")
@click.option("--json", "json_file", type=FilePath, help="Write the report as JSON.")
@click.option("--junit", "junit_file", type=FilePath, help="Write the report as JUnit XML.")
@click.option("--skips", type=FilePath, default=DEFAULT_LIST, help="Another skip list.")
@click.option("--cpython", metavar="PATH", help="CPython that says what to expect.")
@click.option(
    "--executable",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Test this instead: a program that is used like upstream's unix port.",
)
@click.option(
    "--build",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Use this finished build and build nothing.",
)
def command(
    tests: tuple[str, ...],
    target: str | None,
    variant: str,
    timeout: float,
    only_list: bool,
    json_file: Path | None,
    junit_file: Path | None,
    skips: Path,
    cpython: str | None,
    executable: Path | None,
    folder: Path | None,
    **build: str | bool | None,
) -> None:
    """Run upstream's own tests, each in an interpreter of its own.

    Without arguments all directories that upstream runs on a PC are run. A test
    passes if it prints what its .exp file says, else what CPython prints. Exits
    with 51 if a test fails, or is skipped or passes against the skip list.
    """
    console = Console()
    wanted = {} if target in (None, "reference") else {"target": target}
    config = load_config({**backends.SIZES, **_given(build), **wanted})
    target = target or config.targets[0]
    release = tests_of(config.release)
    selected = discover(release / "tests", tests)
    where = "executable" if executable else target
    listed = load(where, config.release, skips)
    if only_list:
        for line in selection.lines(selected, listed):
            click.echo(line)
        return
    started = time.monotonic()
    if variant != "release" and where != "host":
        raise UsageError(f"--variant {variant}: only the host twin has variants")
    runner = backends.open_runner(target, config, timeout, executable, folder, variant)
    cache = paths.build_dir() / "conformance" / "expected"
    with showing(console) as events, children(f"{where}-{variant}"):
        suite = Suite(
            root=release / "tests",
            tests=selected,
            runner=runner,
            cpython=find_cpython(cache, cpython),
            skips=listed,
            library=library.modules(release, paths.templates_dir() / "frozen"),
            events=events,
        )
        results = suite.run()
    done = report.Report(results, config.release, where, time.monotonic() - started)
    if json_file:
        report.write_json(done, json_file)
    if junit_file:
        report.write_whole(junit_file, done.junit())
    report.show(done, console)
    if done.bad:
        raise ConformanceRegression(
            f"{len(done.bad)} of {len(results)} tests are not as they must be",
            hint="Each is named above; --json keeps what they printed.",
        )


def _given(build: dict[str, str | bool | None]) -> dict[str, str | bool]:
    return {name: value for name, value in build.items() if value not in (None, False)}
