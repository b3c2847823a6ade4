"""Tells how far a run of upstream's tests is."""

from __future__ import annotations

from porter.base.telling import Say, Teller
from porter.conformance.discovery import Test
from porter.conformance.model import ScriptOutcome, ScriptStatus
from porter.conformance.suite import Events


def events_of(tell: Teller, name: Say) -> Events:
    """Events that tell how many tests ran; `name` gets a line for each that hung or crashed."""
    expecting, running = _Counted(tell, "expected output"), _Counted(tell, "tests")

    def ran(test: Test, outcome: ScriptOutcome) -> None:
        if outcome.status in (ScriptStatus.TIMEOUT, ScriptStatus.CRASH):
            name(f"{outcome.status.value}: {test.name}")
        running.advance()

    return Events(
        expecting=expecting.start, expected=expecting.advance, running=running.start, ran=ran
    )


class _Counted:
    """A part of a run that has so many steps."""

    def __init__(self, tell: Teller, name: str) -> None:
        self._tell, self._name = tell, name
        self._done = self._total = 0

    def start(self, total: int) -> None:
        self._done, self._total = 0, total
        self._tell.now(self._name)

    def advance(self) -> None:
        self._done += 1
        self._tell.step(self._done, self._total)
