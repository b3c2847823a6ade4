"""Report the progress of a run of upstream's tests."""

from __future__ import annotations

from porter.base.telling import Say, Teller
from porter.conformance.discovery import Test
from porter.conformance.model import ScriptOutcome, ScriptStatus
from porter.conformance.suite import Events


def events_of(tell: Teller, name: Say) -> Events:
    """Create the events that report progress.

    Args:
        tell: Receives the counts of finished tests.
        name: Receives a line for each test that hung or crashed.
    """
    expecting, running = _Counted(tell, "expected output"), _Counted(tell, "tests")

    def ran(test: Test, outcome: ScriptOutcome) -> None:
        if outcome.status in (ScriptStatus.TIMEOUT, ScriptStatus.CRASH):
            name(f"{outcome.status.value}: {test.name}")
        running.advance()

    return Events(
        expecting=expecting.start, expected=expecting.advance, running=running.start, ran=ran
    )


class _Counted:
    """A phase of the run with a known number of steps."""

    def __init__(self, tell: Teller, name: str) -> None:
        self._tell, self._name = tell, name
        self._done = self._total = 0

    def start(self, total: int) -> None:
        self._done, self._total = 0, total
        self._tell.now(self._name)

    def advance(self) -> None:
        self._done += 1
        self._tell.step(self._done, self._total)
