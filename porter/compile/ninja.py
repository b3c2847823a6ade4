"""Writing a `build.ninja` and running ninja on it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from attrs import field, frozen

from porter.errors import BuildFailed, ToolFailed
from porter.process import run, tail


@frozen
class Rule:
    """One way of making files: ninja's `rule`. `command` may use $in, $out and edge variables."""

    name: str
    command: str
    description: str

    def text(self) -> str:
        """The rule in ninja's syntax."""
        return f"rule {self.name}\n  command = {self.command}\n  description = {self.description}\n"


@frozen
class Edge:
    """Files made from files by a rule: ninja's `build`. Paths are absolute or below the folder."""

    rule: str
    outputs: tuple[Path, ...]
    inputs: tuple[Path, ...]
    implicit: tuple[Path, ...] = ()
    variables: tuple[tuple[str, str], ...] = field(default=())

    def text(self) -> str:
        """The edge in ninja's syntax."""
        line = f"build {_paths(self.outputs)}: {self.rule} {_paths(self.inputs)}"
        if self.implicit:
            line += f" | {_paths(self.implicit)}"
        return line + "\n" + "".join(f"  {name} = {value}\n" for name, value in self.variables)


def _paths(paths: Sequence[Path]) -> str:
    return " ".join(
        str(path).replace("$", "$$").replace(" ", "$ ").replace(":", "$:") for path in paths
    )


def ninja_text(rules: Sequence[Rule], edges: Sequence[Edge]) -> str:
    """A whole `build.ninja`; the same rules and edges give the same bytes."""
    parts = ["ninja_required_version = 1.10\n", *(rule.text() for rule in rules)]
    parts += [edge.text() for edge in edges]
    return "\n".join(parts)


def ninja_program() -> str:
    """The ninja of the wheel, or the one on PATH."""
    try:
        import ninja
    except ImportError:
        return "ninja"
    return str(Path(ninja.BIN_DIR) / ("ninja.exe" if sys.platform == "win32" else "ninja"))


def run_ninja(
    folder: Path,
    rules: Sequence[Rule],
    edges: Sequence[Edge],
    *,
    what: str,
    jobs: int | None = None,
    targets: Sequence[Path] = (),
) -> int:
    """Bring `folder` up to date; `what` names it in errors. Returns the number of steps run.

    Raises BuildFailed with the first compiler messages. Ninja removes the output of a step that
    failed, and runs a step again whose end it never recorded, so a half build is never taken up.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "build.ninja"
    text = ninja_text(rules, edges)
    if not file.is_file() or file.read_text() != text:
        partial = file.with_suffix(".tmp")
        partial.write_text(text)
        partial.replace(file)
    argv = [ninja_program(), "-C", str(folder), "-j", str(jobs or os.cpu_count() or 1)]
    argv += [str(target) for target in targets]
    try:
        done = run(argv, env={"NINJA_STATUS": "[%f/%t] "})
    except ToolFailed as error:
        raise BuildFailed(
            f"{what}: the build failed\n{_first_failure(error.message)}",
            hint=f"The whole log: ninja -C {folder}",
        ) from error
    return sum(1 for line in done.stdout.splitlines() if line.startswith("["))


def _first_failure(output: str, lines: int = 30) -> str:
    """ninja's report of the first failed step, without the command line."""
    rows = output.splitlines()
    for i, row in enumerate(rows):
        if row.startswith("FAILED:"):
            kept = [row, *rows[i + 2 : i + 2 + lines]]
            return "\n".join(kept)
    return tail(output, lines)
