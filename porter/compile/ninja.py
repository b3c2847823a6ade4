"""Write a `build.ninja` and run ninja on it, for the host twin and the device build.

A record of the hashes of outputs finds files that were damaged after the build.

Ninja compares modification times only and would accept a damaged file forever.
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from attrs import field, frozen

from porter.base.files import read_sealed, write_changed, write_sealed
from porter.base.fingerprint import file_digest, mark
from porter.base.process import run, tail
from porter.base.progress import QUIET, ProgressReporter
from porter.errors import BuildFailed, ToolFailed

RECORD = "outputs.json"


def remove_damaged(folder: Path, outputs: Sequence[Path]) -> list[Path]:
    """Remove outputs whose content differs from the record, so that ninja makes them again.

    Files without a record are left to ninja.

    Returns:
        The removed files.
    """
    known = _read(folder)
    damaged = []
    for path in outputs:
        row = known.get(str(path))
        status = _status(path)
        if row is None or status is None or row[0] == status:
            continue
        if row[1] != file_digest(path):
            path.unlink()
            damaged.append(path)
    return damaged


def record_outputs(folder: Path, outputs: Sequence[Path]) -> None:
    """Record the state of `outputs`; only files that are new or touched are hashed."""
    known = _read(folder)
    rows: dict[str, list[str]] = {}
    for path in outputs:
        status = _status(path)
        if status is not None:
            row = known.get(str(path))
            rows[str(path)] = row if row and row[0] == status else [status, file_digest(path)]
    write_sealed(folder / RECORD, {"outputs": rows})


def _read(folder: Path) -> dict[str, list[str]]:
    rows: dict[str, list[str]] = (read_sealed(folder / RECORD) or {}).get("outputs", {})
    return rows


def _status(path: Path) -> str | None:
    try:
        return mark(os.stat(path))
    except OSError:
        return None


@frozen
class NinjaRule:
    """A ninja `rule`. `command` may use $in, $out and the variables of an edge."""

    name: str
    command: str
    description: str


@frozen
class Edge:
    """A ninja `build` statement. Paths are absolute or relative to the build's folder.

    `beside` are implicit outputs: made by the step, but not in $out.
    """

    rule: str
    outputs: tuple[Path, ...]
    inputs: tuple[Path, ...]
    implicit: tuple[Path, ...] = ()
    variables: tuple[tuple[str, str], ...] = field(default=())
    beside: tuple[Path, ...] = ()


def ninja_text(rules: Sequence[NinjaRule], edges: Sequence[Edge]) -> str:
    """Return the content of `build.ninja`; equal rules and edges give equal bytes."""
    from ninja.ninja_syntax import Writer  # missing on machines that only run builds

    text = io.StringIO()
    # Writer's annotations are narrower than the types that it accepts.
    writer: Any = cast("Any", Writer)(text, width=sys.maxsize)
    writer.variable("ninja_required_version", "1.10")
    for rule in rules:
        writer.newline()
        writer.rule(rule.name, rule.command, rule.description)
    for edge in edges:
        writer.newline()
        writer.build(
            _paths(edge.outputs),
            edge.rule,
            _paths(edge.inputs),
            implicit=_paths(edge.implicit),
            variables=list(edge.variables),
            implicit_outputs=_paths(edge.beside),
        )
    return text.getvalue()


def _paths(paths: Sequence[Path]) -> list[str]:
    # Writer escapes spaces and colons, but a dollar sign only before a space.
    return ["$ ".join(p.replace("$", "$$") for p in str(path).split("$ ")) for path in paths]


def ninja_program() -> str:
    """Return the path of the ninja executable in the `ninja` package."""
    import ninja

    return str(Path(ninja.BIN_DIR) / ("ninja.exe" if sys.platform == "win32" else "ninja"))


def run_ninja(
    folder: Path,
    rules: Sequence[NinjaRule],
    edges: Sequence[Edge],
    *,
    what: str,
    jobs: int | None = None,
    progress: ProgressReporter = QUIET,
) -> int:
    """Bring the outputs of `edges` in `folder` up to date.

    Ninja compares modification times only, so outputs whose content was changed by another program
    are removed first and made again. Ninja removes the output of a failed step and repeats steps
    that it did not record as finished, so an interrupted build is never reused.

    Args:
        folder: The folder of `build.ninja`.
        rules: The rules of `edges`.
        edges: The steps.
        what: The name of the build in messages.
        jobs: The number of parallel steps; None for one per core.
        progress: Receives progress reports.

    Returns:
        The number of steps that ran.

    Raises:
        BuildFailed: A step failed; the message has its first lines of output.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "build.ninja"
    write_changed(file, ninja_text(rules, edges))
    argv = [ninja_program(), "-C", str(folder), "-j", str(jobs or os.cpu_count() or 1)]
    made = [folder / path for edge in edges for path in (*edge.outputs, *edge.beside)]
    remove_damaged(folder, made)
    settings = {"NINJA_STATUS": "[%f/%t] ", "PORTER_PYTHON": sys.executable}
    try:
        steps = _steps(run([*argv, "-n"], env=settings).stdout)
        if steps:
            progress.say(f"{what}: {steps} steps of compiling and linking")
            done = run(argv, env=settings, tied=True, line=lambda row: _step(row, progress))
            steps = _steps(done.stdout)
    except ToolFailed as error:
        record_outputs(folder, made)
        raise BuildFailed(
            f"{what}: the build failed\n{_first_failure(error.message)}",
            hint=f"The whole log: ninja -C {folder}",
        ) from error
    record_outputs(folder, made)
    return steps


def _steps(output: str) -> int:
    return sum(1 for line in output.splitlines() if line.startswith("["))


def _step(row: str, progress: ProgressReporter) -> None:
    match = re.match(r"\[(\d+)/(\d+)\] ", row)
    if match is not None:
        progress.step(int(match[1]), int(match[2]))


def _first_failure(output: str, lines: int = 30) -> str:
    """Return ninja's report of the first failed step, without the command line."""
    rows = output.splitlines()
    for i, row in enumerate(rows):
        if row.startswith("FAILED:"):
            kept = [row, *rows[i + 2 : i + 2 + lines]]
            return "\n".join(kept)
    return tail(output, lines)
