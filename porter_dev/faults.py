"""Plant faults one at a time and report which test tier or campaign detects each.

faults.toml lists the faults. The laboratory is a clone of HEAD in a folder of its own, with its own
releases and builds, so that a fault never touches the checkout. For each fault, the script

1. applies the edit,
2. makes the builds that tests share,
3. runs the tests of the fault's own folder and related ones, until the first failure,
4. runs the whole default tier, until the first failure,
5. runs the campaigns that guard the file, if no test has detected the fault,
6. restores the clone.

The script belongs to the campaign `planted-faults`.

    python -m porter_dev.faults run                  # every fault, the default tier first
    python -m porter_dev.faults run NAME ... --campaigns
    python -m porter_dev.faults check                # every edit still applies
    python -m porter_dev.faults report RESULTS.json  # a Markdown table
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import click
from attrs import asdict, field, frozen

from porter_dev.campaigns import Campaign, campaigns, environment
from porter_dev.tables import ROOT, rows

TABLE = ROOT / "porter_dev" / "faults.toml"
LABORATORY = ROOT / "build" / "faults"
LIMIT = 2400.0  # seconds for the default tier with a fault; a fault that hangs counts as detected
STOP = 10.0  # seconds between an interrupt and a kill
NO_TESTS = 5  # pytest's exit code if all tests below a path belong to other tiers
FAILED = re.compile(r"^(?:FAILED|ERROR) ([^\n]+?)(?: - .*)?$", re.MULTILINE)

# Tests to run first, by the folder of the fault. The order only saves time: all other tests follow.
FIRST = {
    "porter/rewrite": ["tests/rewrite", "tests/torture", "tests/preprocess"],
    "porter/compiler": ["tests/compiler", "tests/native"],
    "porter/evaluation": ["tests/evaluation"],
    "porter/base": ["tests/base", "tests/run"],
    "porter/dask": ["tests/cluster"],
    "porter/run": ["tests/run", "tests/console", "tests/several", "tests/cli/test_exit_status.py"],
    "porter/settings.py": ["tests/base"],
    "templates/port": [
        *("tests/lang", "tests/evaluation", "tests/integers", "tests/floats", "tests/speed"),
        *("tests/heap", "tests/repl", "tests/run", "tests/console"),
    ],
    "templates/runtime": ["tests/run", "tests/evaluation", "tests/lang", "tests/bounds_checks"],
    "templates/libc": ["tests/libc", "tests/lang"],
    "patches": ["tests/lang", "tests/integers", "tests/conformance", "tests/ordinary"],
}


@frozen
class PlantedFault:
    """A row of faults.toml.

    Attributes:
        name: The fault's name.
        file: The file that it is planted in, relative to the repository root.
        old: Text that occurs exactly once in the file.
        new: The text that replaces it.
        kind: The class of mistake, for the report.
        effect: The consequence for a user.
    """

    name: str
    file: str
    old: str
    new: str
    kind: str
    effect: str

    def apply(self, root: Path) -> None:
        """Replace the text in the copy of the repository at `root`.

        Raises:
            ValueError: The text does not occur exactly once.
        """
        path = root / self.file
        text = path.read_text(encoding="utf-8")
        if (count := text.count(self.old)) != 1:
            raise ValueError(f"{self.name}: {self.file} has its text {count} times, not once")
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")

    @property
    def first(self) -> list[str]:
        """The test paths that run first: those of the fault's own folder, then related ones."""
        parts = self.file.split("/")
        own = f"tests/{parts[1]}" if parts[0] == "porter" and len(parts) > 2 else ""
        named = next((tests for folder, tests in FIRST.items() if self.file.startswith(folder)), [])
        return [path for path in dict.fromkeys([own, *named]) if path and (ROOT / path).exists()]


@frozen
class Detection:
    """The detection of one fault.

    Attributes:
        fault: The fault's name.
        tier: `build` (no build could be made), `default`, a campaign's name, or `none`.
        test: The first test that failed, or the reason.
        seconds: The time until then, in seconds.
        tried: The tiers and campaigns that ran.
    """

    fault: str
    tier: str
    test: str
    seconds: float
    tried: tuple[str, ...] = field(default=())


def faults() -> tuple[PlantedFault, ...]:
    """Return all rows of faults.toml, in the order of the file."""
    return rows(TABLE, "fault", PlantedFault)


def laboratory(folder: Path = LABORATORY) -> Path:
    """Make the clone of HEAD, or bring it to HEAD; it keeps its builds. Returns its folder."""
    if not (folder / ".git").exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "clone", "-q", "--no-hardlinks", ROOT, folder], check=True)
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    subprocess.run(["git", "fetch", "-q", str(ROOT), head], cwd=folder, check=True)
    subprocess.run(["git", "checkout", "-q", "-f", head], cwd=folder, check=True)
    subprocess.run(["git", "clean", "-q", "-f", "-d"], cwd=folder, check=True)
    for release in (ROOT / "upstream").glob("[0-9]*"):
        if not (folder / "upstream" / release.name).exists():
            shutil.copytree(release, folder / "upstream" / release.name, symlinks=True)
    return folder


def _run(command: Sequence[str], folder: Path, log: Path, limit: float) -> tuple[int, str]:
    """Run a command in the laboratory. Returns its exit code, 124 after `limit`, and its output."""
    changes = {
        "PYTHONPATH": str(folder),
        "PORTER_HOME": str(folder),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as out:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**environment(), **changes},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            code = 124
        finally:
            _stop(process)
    return code, log.read_text(errors="replace")


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End a process group: an interrupt first, so that tests remove what they made."""
    for sent in (signal.SIGINT, signal.SIGKILL):
        try:
            os.killpg(process.pid, sent)
        except ProcessLookupError:
            return
        try:
            process.wait(STOP)
        except subprocess.TimeoutExpired:
            continue
    process.wait()


def _pytest(*paths: str) -> list[str]:
    """Return the command that runs the default tier, or its tests below `paths`."""
    base = [sys.executable, "-m", "pytest", "-q", "-x", "-rfE", "-m", "not gpu", "-n", "auto"]
    return [*base, "--dist", "loadgroup", "-p", "no:cacheprovider", *paths]


def detect(
    fault: PlantedFault, folder: Path, logs: Path, with_campaigns: bool, quick: bool = False
) -> Detection | None:
    """Plant a fault in the laboratory and find the first tier that detects it.

    Args:
        fault: The fault. The laboratory is restored afterwards.
        folder: The laboratory.
        logs: The folder of the outputs.
        with_campaigns: Whether the campaigns that guard the file follow the default tier.
        quick: Whether to run only the related tests.

    Returns:
        The detection, or None if `quick` and the related tests detect no fault.
    """
    began = time.monotonic()
    tried: list[str] = []

    def found(tier: str, test: str) -> Detection:
        return Detection(fault.name, tier, test, round(time.monotonic() - began, 1), tuple(tried))

    fault.apply(folder)
    try:
        # A build that a test has to remake fails the run (porter_dev/builds.py), so make it first.
        tried.append("build")
        command = [sys.executable, "-m", "porter_dev.builds"]
        code, text = _run(command, folder, logs / f"{fault.name}-build.log", LIMIT)
        if code != 0:
            return found("build", (text.strip().splitlines() or ["no output"])[-1][:200])
        if fault.first:
            command = _pytest(*fault.first)
            code, text = _run(command, folder, logs / f"{fault.name}-first.log", LIMIT)
            if code not in (0, NO_TESTS) and not _only_rebuilt(text):
                tried.append("default")
                return found("default", _first_failure(text, code))
        if quick:
            return None
        tried.append("default")
        code, text = _run(_pytest(), folder, logs / f"{fault.name}-default.log", LIMIT)
        if code != 0 and not _only_rebuilt(text):
            return found("default", _first_failure(text, code))
        for row in campaigns() if with_campaigns else ():
            if not row.guards_any([fault.file]) or row.nightly_only:
                continue
            tried.append(row.name)
            command = ["bash", "-euo", "pipefail", "-c", row.shell]
            log = logs / f"{fault.name}-{row.name}.log"
            code, text = _run(command, folder, log, _limit(row))
            if code != 0:
                return found(row.name, _first_failure(text, code))
        return found("none", "")
    finally:
        subprocess.run(["git", "checkout", "-q", "-f", "HEAD", "--", "."], cwd=folder, check=True)


def _limit(row: Campaign) -> float:
    return max(600.0, 4.0 * row.seconds)


def _only_rebuilt(text: str) -> bool:
    """Return whether all tests passed and the run failed because a build was remade.

    Each fault changes sources, so builds with the sizes of single tests are out of date.
    """
    return FAILED.search(text) is None and re.search(r"^\d+ passed", text, re.MULTILINE) is not None


def _first_failure(text: str, code: int) -> str:
    match = FAILED.search(text)
    if match is not None:
        return match[1][:160]
    return f"stopped after {LIMIT:.0f} s" if code == 124 else f"exit code {code}"


def report(results: Sequence[Detection], of: Sequence[PlantedFault]) -> str:
    """Return a Markdown table of the detections, with a summary line."""
    kinds = {fault.name: fault for fault in of}
    lines = [
        "| fault | file | kind | detected by | first failing test | seconds |",
        "|" + "---|" * 6,
    ]
    for one in results:
        fault = kinds[one.fault]
        test = one.test.replace("|", "\\|").replace("\n", " ")
        cells = [one.fault, f"`{fault.file}`", fault.kind, one.tier, f"`{test}`" if test else ""]
        lines.append(f"| {' | '.join(cells)} | {one.seconds:.0f} |")
    default = sum(one.tier in ("build", "default") for one in results)
    missed = sum(one.tier == "none" for one in results)
    summary = f"{len(results)} faults: the default tier detects {default}, campaigns "
    return (
        f"{summary}{len(results) - default - missed}, none {missed}.\n\n" + "\n".join(lines) + "\n"
    )


@click.group(help="Plant faults and report which tests detect them (docs/how-to/testing.md).")
def group() -> None:
    """Group the commands."""


@group.command("check", help="Check that every fault still applies to HEAD.")
def check_command() -> None:
    """Apply each edit in memory."""
    problems = []
    for fault in faults():
        path = ROOT / fault.file
        count = path.read_text(encoding="utf-8").count(fault.old) if path.is_file() else 0
        if count != 1:
            problems.append(f"{fault.name}: {fault.file} has its text {count} times, not once")
    if problems:
        sys.exit("\n".join(problems))


@group.command("run", help="Plant the faults NAME, or all of them.")
@click.argument("names", nargs=-1, metavar="NAME...")
@click.option("--campaigns", "with_campaigns", is_flag=True, help="Run guarding campaigns as well.")
@click.option("--quick", is_flag=True, help="Run only related tests; record what they detect.")
@click.option("--least", type=int, help="Fail if the default tier detects fewer faults.")
@click.option("--results", type=click.Path(path_type=Path), help="Where results are kept.")
def run_command(
    names: tuple[str, ...],
    with_campaigns: bool,
    quick: bool,
    least: int | None,
    results: Path | None,
) -> None:
    """Run the faults that `results` lacks, and write it after each."""
    every = faults()
    if unknown := set(names) - {fault.name for fault in every}:
        raise click.UsageError(f"no fault is named {', '.join(sorted(unknown))}")
    chosen = [fault for fault in every if not names or fault.name in names]
    results = results or ROOT / "build" / "campaigns" / "faults.json"
    results.parent.mkdir(parents=True, exist_ok=True)
    done: list[Detection] = []
    if results.is_file():
        done = [Detection(**row) for row in json.loads(results.read_text())]
    folder = laboratory()
    for fault in chosen:
        if fault.name in {one.fault for one in done}:
            continue
        one = detect(fault, folder, results.parent / "faults", with_campaigns, quick)
        if one is None:
            print(f"{fault.name}: not by related tests", flush=True)
            continue
        print(f"{one.fault}: {one.tier} {one.test} ({one.seconds:.0f} s)", flush=True)
        done.append(one)
        beside = results.with_suffix(".tmp")
        beside.write_text(json.dumps([asdict(row) for row in done], indent=1) + "\n")
        beside.replace(results)
    print(report(done, every))
    if least is not None and sum(one.tier in ("build", "default") for one in done) < least:
        sys.exit(f"the default tier detects fewer than {least} faults")


@group.command("report", help="Print a Markdown table of kept results.")
@click.argument("results", type=click.Path(path_type=Path, exists=True))
def report_command(results: Path) -> None:
    """Print the table."""
    try:
        done = [Detection(**row) for row in json.loads(results.read_text())]
        print(report(done, faults()))
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise click.ClickException(f"{results} has no results of `run`: {error}") from error


if __name__ == "__main__":
    group()
