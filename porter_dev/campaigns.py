"""Campaigns: long checks outside the default test tier, their schedule, and their runner.

campaigns.toml lists every campaign. `.ci/run` calls `ci`, which runs campaigns until a time budget
is used up. The forge workflow calls `run` for each row in a job of its own. `list` shows the table.

    python3 bootstrap.py campaign list
    python3 bootstrap.py campaign run NAME ...
"""

from __future__ import annotations

import contextlib
import datetime
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import click
from attrs import asdict, field, frozen

from porter_dev.tables import ROOT, TableProblem, rows

TABLE = ROOT / "porter_dev" / "campaigns.toml"
LOGS = ROOT / "build" / "campaigns"
DAYS = 7  # a rotation covers every campaign in a week
MARGIN = 1.3  # a campaign starts only if its recorded time, times this, fits the budget
OVERRUN = 4.0  # a campaign that takes this many times its recorded time is stopped
LEAST_LIMIT = (
    300.0  # seconds; on a slow machine, a short campaign may exceed its recorded time many times
)
TAIL = 60  # lines of a failed campaign's output that are repeated


@frozen
class Campaign:
    """A row of campaigns.toml.

    Attributes:
        name: The campaign's name, also the argument of its tests' marker `campaign`.
        proves: The fact that a pass shows, in one sentence.
        guards: Folders and files, relative to the repository root, whose faults it detects.
        seconds: Its duration on two cores, in seconds, when it was last recorded.
        command: A bash command, run in the repository root. If empty, the campaign consists of the
            tests that its marker selects.
        needs: Programs that must be on PATH, for example nvcc.
        nightly_only: Whether `.ci/run` leaves the campaign to the forge's nightly workflow. Its
            reason is in `proves`.
    """

    name: str
    proves: str
    guards: tuple[str, ...]
    seconds: int
    command: str = ""
    needs: tuple[str, ...] = field(default=())
    nightly_only: bool = False

    @property
    def shell(self) -> str:
        """The bash command that runs the campaign."""
        return self.command or (
            f"python -m pytest -q -m 'not gpu' -n auto --dist loadgroup --campaign {self.name}"
        )

    def guards_any(self, paths: Iterable[str]) -> bool:
        """Return whether one of `paths` is a guarded file or lies below a guarded folder."""
        folders = tuple(guard.rstrip("/") + "/" for guard in self.guards)
        return any(path in self.guards or path.startswith(folders) for path in paths)


@functools.cache
def campaigns() -> tuple[Campaign, ...]:
    """Return all rows of campaigns.toml, in the order of the file.

    Raises:
        TableProblem: The table is malformed, or two rows have one name.
    """
    found = rows(TABLE, "campaign", Campaign)
    names = [row.name for row in found]
    if twice := {name for name in names if names.count(name) > 1}:
        raise TableProblem(f"{TABLE}: two rows are named {', '.join(sorted(twice))}")
    return found


def rotation(all_rows: Sequence[Campaign], day: int) -> list[Campaign]:
    """Order campaigns by the time since their last turn, the longest first.

    The rows are divided into seven groups of similar duration, one per weekday. Today's group
    comes first, because its last turn was seven days ago; tomorrow's group follows, and so on.

    Args:
        all_rows: The campaigns.
        day: The number of today, counted from any fixed day.

    Returns:
        The same campaigns in the order in which they should run today.
    """
    groups: list[list[Campaign]] = [[] for _ in range(DAYS)]
    for row in sorted(all_rows, key=lambda row: (-row.seconds, row.name)):
        min(groups, key=lambda group: sum(one.seconds for one in group)).append(row)
    return [row for shift in range(DAYS) for row in groups[(day + shift) % DAYS]]


def schedule(all_rows: Sequence[Campaign], changed: Iterable[str], day: int) -> list[Campaign]:
    """Order campaigns for `.ci/run`: guards of changed paths first, then the rotation.

    Args:
        all_rows: The campaigns.
        changed: Paths, relative to the repository root, that differ from the merge base.
        day: As for `rotation`.
    """
    paths = list(changed)
    ordered = [row for row in rotation(all_rows, day) if not row.nightly_only]
    return sorted(ordered, key=lambda row: not row.guards_any(paths))


def merge_base(root: Path = ROOT) -> str | None:
    """Return the base commit of the change under test, or None without one.

    On a branch, the commit where the branch left the remote's default branch. On the default
    branch itself, the newest commit that is older than a day, or else the root commit.
    """

    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else ""

    head = git("rev-parse", "HEAD")
    base = git("merge-base", "HEAD", "origin/HEAD")
    if not base or base == head:
        base = git("rev-list", "-1", "--before=1.day", "HEAD")
    return base or git("rev-list", "--max-parents=0", "HEAD").split("\n")[0] or None


def changed_paths(root: Path = ROOT) -> list[str]:
    """Return the paths that differ from the merge base; empty where git does not know it."""
    base = merge_base(root)
    if base is None:
        return []
    names = ["git", "diff", "--name-only", "-z", base, "HEAD"]
    done = subprocess.run(names, cwd=root, capture_output=True, text=True)
    return [name for name in done.stdout.split("\0") if name]


@frozen
class CampaignOutcome:
    """The result of one campaign.

    Attributes:
        name: The campaign.
        passed: Whether its command exited with 0.
        seconds: Its duration, in seconds.
        detail: Why it failed or did not run; empty after a pass.
    """

    name: str
    passed: bool
    seconds: float
    detail: str = ""


def environment() -> dict[str, str]:
    """Return the environment of a campaign: this Python's programs come first on PATH."""
    programs = str(Path(sys.executable).parent)
    return {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ.get('PATH', '')}"}


def run_campaign(campaign: Campaign, logs: Path = LOGS, root: Path = ROOT) -> CampaignOutcome:
    """Run one campaign to its end and save its output.

    A campaign that exceeds its recorded time many times over is stopped with all its processes.

    Args:
        campaign: The row.
        logs: The folder of the log, which is named after the campaign.
        root: The folder in which the command runs.
    """
    logs.mkdir(parents=True, exist_ok=True)
    limit = max(LEAST_LIMIT, campaign.seconds * OVERRUN)
    log = logs / f"{campaign.name}.log"
    began = time.monotonic()
    with log.open("wb") as out:
        process = subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", campaign.shell],
            cwd=root,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = process.wait(limit)
            detail = "" if code == 0 else f"exit code {code}"
        except subprocess.TimeoutExpired:
            code, detail = 124, f"stopped after {limit:.0f} s"
        finally:
            _end(process)
    taken = time.monotonic() - began
    return CampaignOutcome(campaign.name, code == 0, round(taken, 1), detail)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of a campaign's process group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _say(text: str) -> None:
    print(text, flush=True)


def _tail(name: str, logs: Path = LOGS) -> str:
    lines = (logs / f"{name}.log").read_text(errors="replace").splitlines()
    return "\n".join(f"    {line}" for line in lines[-TAIL:])


def _lacking(campaign: Campaign) -> str:
    """Return the programs that a campaign needs and this machine lacks, separated by commas."""
    from porter import toolchain
    from porter.errors import NoNvcc

    lacking = []
    for name in campaign.needs:
        if name == "nvcc":  # a wheel may bring it, outside PATH
            try:
                toolchain.nvcc()
            except NoNvcc:
                lacking.append(name)
        elif shutil.which(name, path=environment()["PATH"]) is None:
            lacking.append(name)
    return ", ".join(lacking)


def run_rows(chosen: Sequence[Campaign], until: float | None = None) -> list[CampaignOutcome]:
    """Run campaigns in sequence and print the result of each.

    Args:
        chosen: The rows in their order.
        until: The value of `time.monotonic()` at which the budget ends; None: no limit. A row
            whose recorded time does not fit is skipped, and a shorter one may run instead.

    Returns:
        The outcomes of the rows that ran. A row that lacks a program has failed.
    """
    outcomes = []
    left = []
    for row in chosen:
        if until is not None and time.monotonic() + row.seconds * MARGIN > until:
            left.append(row.name)
            continue
        _say(f"campaign {row.name}: {row.proves}")
        lacking = _lacking(row)
        outcome = (
            CampaignOutcome(row.name, False, 0.0, f"lacks {lacking}")
            if lacking
            else run_campaign(row)
        )
        outcomes.append(outcome)
        ended = "passed" if outcome.passed else f"FAILED ({outcome.detail})"
        _say(f"campaign {row.name}: {ended} after {outcome.seconds:.0f} s")
        if not outcome.passed and not lacking:
            _say(_tail(row.name))
    if left:
        _say(f"campaigns that did not run: {', '.join(left)}")
    LOGS.mkdir(parents=True, exist_ok=True)
    (LOGS / "outcomes.json").write_text(json.dumps([asdict(one) for one in outcomes], indent=1))
    return outcomes


def _finish(outcomes: Sequence[CampaignOutcome]) -> None:
    failed = [outcome.name for outcome in outcomes if not outcome.passed]
    _say(f"campaigns: {len(outcomes) - len(failed)} passed, {len(failed)} failed")
    if failed:
        sys.exit(f"campaigns failed: {', '.join(failed)}; logs: {LOGS}")


@click.group(help="Long checks outside the default test tier (docs/how-to/testing.md).")
def group() -> None:
    """Group the commands."""


@group.command("list", help="Show the table.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, for a workflow's matrix.")
def list_command(as_json: bool) -> None:
    """Print all rows."""
    if as_json:
        _say(json.dumps([asdict(row) for row in campaigns()]))
        return
    for row in campaigns():
        _say(f"{row.name:<28} {row.seconds:>5} s  {row.proves}")


@group.command("run", help="Run the campaigns NAME, or all of them.")
@click.argument("names", nargs=-1, metavar="NAME...")
@click.option("--all", "every", is_flag=True, help="Run every campaign.")
def run_command(names: tuple[str, ...], every: bool) -> None:
    """Run the named rows."""
    by_name = {row.name: row for row in campaigns()}
    unknown = [name for name in names if name not in by_name]
    if unknown or not (names or every):
        problem = f"no campaign is named {', '.join(unknown)}" if unknown else "no NAME given"
        raise click.UsageError(f"{problem}; the names are {', '.join(by_name)}")
    _finish(run_rows(list(campaigns()) if every else [by_name[name] for name in names]))


@group.command("ci", help="Run campaigns until a time budget is used up.")
@click.option(
    "--seconds", type=click.IntRange(min=0), required=True, help="The budget, in seconds."
)
@click.option("--day", type=int, help="The day of the rotation; by default, today.")
@click.option("--dry-run", is_flag=True, help="Only print the order.")
def ci_command(seconds: int, day: int | None, dry_run: bool) -> None:
    """Run the schedule of `.ci/run`."""
    until = time.monotonic() + seconds
    paths = changed_paths()
    today = datetime.date.today().toordinal() if day is None else day
    ordered = schedule(campaigns(), paths, today)
    guarding = [row.name for row in ordered if row.guards_any(paths)]
    _say(f"campaigns that guard changed files: {', '.join(guarding) or 'none'}")
    nightly = [row.name for row in campaigns() if row.nightly_only]
    _say(f"campaigns of the nightly workflow alone: {', '.join(nightly) or 'none'}")
    if dry_run:
        _say("\n".join(row.name for row in ordered))
        return
    _finish(run_rows(ordered, until))


if __name__ == "__main__":
    try:
        group()
    except TableProblem as problem:
        sys.exit(str(problem))
