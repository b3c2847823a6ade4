"""`porter conformance`: run upstream's own tests on a build."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, cast

import click
from rich.console import Console

from porter.base import paths
from porter.base.deprecated import warn_deprecated
from porter.base.files import write_whole
from porter.cli import _development
from porter.cli._deprecated import renamed_option
from porter.cli._options import MOST_TEST, bounds_checks_flag, seconds_option, skip_patches_option
from porter.cli._progress import show_progress
from porter.cli._subject import check_fixed, folder_option
from porter.cli._types import NAME, PathType
from porter.compile.flags import VARIANTS
from porter.compiler.options import CompilerOptions, Enter
from porter.config import BuildConfig
from porter.conformance import backends, conformance_report, file_images
from porter.conformance.discovery import discover
from porter.conformance.expected_output import find_cpython
from porter.conformance.skips import DEFAULT_LIST, load
from porter.conformance.suite import ConformanceSuite, events_of
from porter.errors import ConformanceRegression, UsageError
from porter.run.built import Built, open_build
from porter.settings import load_config
from porter.sync.synchronization import tests_of
from porter.toolchain import children

SIZE_NAMES = ("heap", "pystack", "stack", "stdout")  # that a launch chooses
FilePath = PathType(dir_okay=False, path_type=Path)


@click.command("conformance")
@click.argument("tests", nargs=-1, metavar="[DIR|TEST]...", type=NAME)
@click.option(
    "--target",
    type=click.Choice(["host", "cuda", "reference"]),
    help="Host twin, GPU [if there is one], or upstream's C compiled by gcc (reference; in a "
    "checkout).",
)
@click.option(
    "--variant",
    type=click.Choice(sorted(VARIANTS)),
    default="release",
    show_default=True,
    help="Variant of the host twin.",
)
@click.option("--release", metavar="R", help="Upstream release [newest in the lock].")
@click.option("--heap", metavar="SIZE", help=f"Python heap [{backends.SIZES['heap']}].")
@click.option("--stack", metavar="SIZE", help=f"C stack [{backends.SIZES['stack']}].")
@click.option("--pystack", metavar="SIZE", help=f"Frame stack [{backends.SIZES['pystack']}].")
@click.option("--stdout", metavar="SIZE", help=f"Stdout buffer [{backends.SIZES['stdout']}].")
@click.option("--arena", type=click.Choice(["local", "global"]), help="[global]")
@click.option("--gc-stress", is_flag=True, help="Collect before every allocation.")
@bounds_checks_flag
@skip_patches_option
@click.option("--compiled", is_flag=True, help="Run all code of each test as native code.")
@renamed_option(
    "--fail-guards",
    old={"--give-up": "--fail-guards"},
    metavar="all|K",
    help="With --compiled: all guards of native code fail, or each K-th does.",
)
@click.option(
    "--enter",
    type=click.Choice(["usual", "apart", "everywhere"]),
    help="With --compiled: the entries into native code; apart: as on a GPU.",
)
@seconds_option("Seconds per test.", most=MOST_TEST, default=30.0)
@click.option("--list", "only_list", is_flag=True, help="List the tests without running them.")
@click.option("--json", "json_file", type=FilePath, help="Write the report as JSON.")
@click.option("--junit", "junit_file", type=FilePath, help="Write the report as JUnit XML.")
@click.option("--skips", type=FilePath, default=DEFAULT_LIST, help="Use another skip list.")
@click.option("--cpython", metavar="PATH", help="CPython for expected outputs.")
@click.option(
    "--executable",
    type=PathType(exists=True, dir_okay=False, path_type=Path),
    help="Test this program instead, which has the interface of upstream's unix port.",
)
@folder_option
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
    compiled: bool,
    fail_guards: str | None,
    enter: str | None,
    **build: str | bool | None,
) -> None:
    """Run upstream's tests, one interpreter per test.

    Without arguments, run all directories that upstream runs on a PC. A test passes if its output
    equals its .exp file or, without such a file, CPython's output. The exit code is 51 if a test
    fails, or if a test is skipped or passes against the skip list.
    """
    console = Console()
    given = _given(build)
    uses_build = executable is None and target != "reference"
    built = open_build(folder) if folder is not None and uses_build else None
    config = _config(target, given, built)
    chosen = {name: getattr(config, name) for name in SIZE_NAMES if name in given}
    target = target or _target(built, config)
    release = tests_of(config.release)
    selected = discover(release / "tests", tests)
    where = "executable" if executable else target
    if only_list:
        for line in conformance_report.lines(selected, load(where, skips, config.patches_to_skip)):
            click.echo(line)
        return
    started = time.monotonic()
    if variant != "release" and where != "host":
        raise UsageError(f"--variant {variant}: only the host twin has variants")
    if where in ("host", "cuda"):
        _check_sizes(built, config, chosen, bool(tests))
    native = _native(compiled, fail_guards, enter, where, variant)
    if where == "reference":
        module = _development.load("reference.runner", "porter conformance --target reference")
        runner = module.open_reference(config, timeout)
    else:
        runner = backends.open_runner(
            target, config, timeout, executable, folder, variant, chosen, native
        )
    cache = paths.build_dir() / "conformance" / "expected"
    with show_progress() as progress, children(f"{where}-{variant}"):
        progress.now("features")
        suite = ConformanceSuite(
            root=release / "tests",
            tests=selected,
            runner=runner,
            cpython=find_cpython(cache, cpython),
            skips=load(where, skips, backends.skipped_patches(runner)),
            library=file_images.modules(release, paths.templates_dir() / "frozen"),
            events=events_of(progress, partial(console.print, highlight=False)),
        )
        results = suite.run()
    done = conformance_report.Report(results, config.release, where, time.monotonic() - started)
    _tell(done, console, json_file, junit_file)


def _native(
    compiled: bool, fail_guards: str | None, enter: str | None, where: str, variant: str
) -> CompilerOptions | None:
    """Return the options of native code; None without --compiled. Raises UsageError."""
    if not compiled:
        for name, value in {"--fail-guards": fail_guards, "--enter": enter}.items():
            if value is not None:
                raise UsageError(f"{name} {value}: it requires --compiled")
        return None
    if where not in ("host", "cuda") or variant != "release":
        raise UsageError(
            "--compiled: native code runs on the host twin's release variant and on GPUs"
        )
    force: Any = fail_guards
    if fail_guards == "guards":
        warn_deprecated("--fail-guards guards", "--fail-guards all")
    if fail_guards in ("all", "guards"):
        force = "guards"
    elif fail_guards is not None:
        if not fail_guards.isdecimal() or int(fail_guards) == 0:
            raise UsageError(f"--fail-guards {fail_guards}: neither `all` nor a number from 1")
        force = int(fail_guards)
    return CompilerOptions(force=force, enter=cast(Enter, enter or "usual"))


def _tell(
    done: conformance_report.Report,
    console: Console,
    json_file: Path | None,
    junit_file: Path | None,
) -> None:
    """Write and print the report. Raises ConformanceRegression if a test has a wrong outcome."""
    if json_file:
        conformance_report.write_json(done, json_file)
    if junit_file:
        write_whole(junit_file, done.junit(), parents=True)
    conformance_report.show(done, console)
    if done.bad:
        raise ConformanceRegression(
            f"{len(done.bad)} of {len(done.results)} tests have a wrong outcome",
            hint="They are named above; --json FILE also stores their output.",
        )


def _given(build: dict[str, str | bool | None]) -> dict[str, str | bool]:
    return {name: value for name, value in build.items() if value not in (None, False)}


def _config(
    target: str | None, given: Mapping[str, str | bool], built: Built | None
) -> BuildConfig:
    """Return the build to test. Raises UsageError if `given` contradicts a finished build."""
    wanted = {} if target in (None, "reference") else {"target": target}
    has = {} if built is None else {n: built.config[n] for n in ("release", *backends.SIZES)}
    config = load_config({**backends.SIZES, **has, **given, **wanted})
    if built is not None:
        for name in given.keys() & {"release", "arena", "bounds_checks"}:
            check_fixed(built, name, given[name])
    return config


def _target(built: Built | None, config: BuildConfig) -> str:
    """Return the default target: this machine's default, if the build has it."""
    if built is None:
        return config.targets[0]
    has = [name for name in ("cuda", "host") if name in built.manifest["targets"]]
    return config.targets[0] if config.targets[0] in has or not has else has[0]


def _check_sizes(
    built: Built | None, config: BuildConfig, chosen: dict[str, int], named: bool
) -> None:
    """Refuse sizes that make tests fail; if the user names tests, only warn."""
    sizes = {name: getattr(config, name) for name in SIZE_NAMES}
    if built is not None:
        sizes = {name: int(built.config[name]) for name in SIZE_NAMES} | chosen
    if not named:
        backends.check_sizes(sizes)
    elif lack := backends.short(sizes):
        click.echo(f"porter: warning: some tests may not fit: {lack}", err=True)
