"""Shows how far a run is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from porter.conformance.discovery import Test
from porter.conformance.model import ScriptOutcome, ScriptStatus
from porter.conformance.suite import Events


@contextmanager
def showing(console: Console) -> Iterator[Events]:
    """Events that move a progress bar on ``console``; hung and crashed tests are named at once."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as progress:
        expecting = progress.add_task("expected output", start=False, total=None)
        running = progress.add_task("tests", start=False, total=None)

        def ran(test: Test, outcome: ScriptOutcome) -> None:
            progress.advance(running)
            if outcome.status in (ScriptStatus.TIMEOUT, ScriptStatus.CRASH):
                progress.console.print(f"{outcome.status.value}: {test.name}", highlight=False)

        def start(task: TaskID, total: int) -> None:
            progress.update(task, total=total)
            progress.start_task(task)

        yield Events(
            expecting=lambda total: start(expecting, total),
            expected=lambda: progress.advance(expecting),
            running=lambda total: start(running, total),
            ran=ran,
        )
