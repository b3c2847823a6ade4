"""Writing a `build.ninja` and running ninja on it."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from attrs import field, frozen

from porter.base.files import write_changed
from porter.base.process import run, tail
from porter.base.telling import QUIET, Teller
from porter.compile.outputs import record_outputs, remove_damaged
from porter.errors import BuildFailed, ToolFailed


@frozen
class NinjaRule:
    """One way of making files: ninja's `rule`. `command` may use $in, $out and edge variables."""

    name: str
    command: str
    description: str


@frozen
class Edge:
    """Files made from files by a rule: ninja's `build`. Paths are absolute or below the folder.

    `beside` are made too and are not in $out.
    """

    rule: str
    outputs: tuple[Path, ...]
    inputs: tuple[Path, ...]
    implicit: tuple[Path, ...] = ()
    variables: tuple[tuple[str, str], ...] = field(default=())
    beside: tuple[Path, ...] = ()


def ninja_text(rules: Sequence[NinjaRule], edges: Sequence[Edge]) -> str:
    """A whole `build.ninja`; equal rules and edges give equal bytes."""
    from ninja.ninja_syntax import Writer  # a machine that only runs builds may lack it

    text = io.StringIO()
    # Its annotations are narrower than what it takes.
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
    # The writer escapes spaces and colons, and a dollar sign only before a space.
    return ["$ ".join(p.replace("$", "$$") for p in str(path).split("$ ")) for path in paths]


def ninja_program() -> str:
    """The ninja of the wheel."""
    import ninja

    return str(Path(ninja.BIN_DIR) / ("ninja.exe" if sys.platform == "win32" else "ninja"))


def run_ninja(
    folder: Path,
    rules: Sequence[NinjaRule],
    edges: Sequence[Edge],
    *,
    what: str,
    jobs: int | None = None,
    tell: Teller = QUIET,
) -> int:
    """Bring `folder` up to date; `what` names it in errors. Returns the number of steps run.

    What something else has changed since is made again; ninja itself goes by times. Raises
    BuildFailed with the first compiler messages. Ninja removes the output of a step that failed,
    and runs a step again whose end it never recorded, so a half build is never taken up.
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
            tell.say(f"{what}: {steps} steps of compiling and linking")
            done = run(argv, env=settings, tied=True, line=lambda row: _step(row, tell))
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


def _step(row: str, tell: Teller) -> None:
    match = re.match(r"\[(\d+)/(\d+)\] ", row)
    if match is not None:
        tell.step(int(match[1]), int(match[2]))


def _first_failure(output: str, lines: int = 30) -> str:
    """ninja's report of the first failed step, without the command line."""
    rows = output.splitlines()
    for i, row in enumerate(rows):
        if row.startswith("FAILED:"):
            kept = [row, *rows[i + 2 : i + 2 + lines]]
            return "\n".join(kept)
    return tail(output, lines)
