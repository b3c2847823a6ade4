"""A small release's tests/ folder and a runner that only looks answers up."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import attrs

from porter.conformance.discovery import discover
from porter.conformance.expected import find_cpython
from porter.conformance.model import Outcome, Program, Result, Status
from porter.conformance.skips import Skip, SkipList
from porter.conformance.suite import Suite

FEATURES = {
    "/int_big.py": b"1000000000000000000000000000000000000000000000\n",
    "/byteorder.py": sys.byteorder.encode() + b"\n",
    "/float.py": b"64\n",
}


@attrs.define
class FakeRunner:
    """Answers each program by name: bytes for a good end, else a whole outcome."""

    answers: dict[str, bytes | Outcome]
    ran: list[Program] = attrs.field(factory=list)
    target: str = "fake"

    def run(
        self,
        programs: Sequence[Program],
        done: Callable[[int, Outcome], None] | None = None,
    ) -> list[Outcome]:
        """Look all programs up."""
        outcomes = []
        for index, program in enumerate(programs):
            self.ran.append(program)
            answer = self.answers.get(program.name, FEATURES.get(program.name, b""))
            outcome = Outcome(answer, Status.OK) if isinstance(answer, bytes) else answer
            outcomes.append(outcome)
            if done is not None:
                done(index, outcome)
        return outcomes


@attrs.frozen
class Release:
    """A release's tests/ under a temporary folder."""

    root: Path

    def add(self, name: str, source: str = "", expected: str | None = None) -> None:
        """Write a test, and its .exp file if ``expected`` is given."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
        if expected is not None:
            path.with_name(path.name + ".exp").write_text(expected)

    def run(self, runner: FakeRunner, skips: dict[str, str] | None = None) -> dict[str, Result]:
        """Run all tests on ``runner``; ``skips`` are patterns and their reasons."""
        entries = tuple(Skip(reason, (name,)) for name, reason in (skips or {}).items())
        suite = Suite(
            root=self.root,
            tests=discover(self.root),
            runner=runner,
            cpython=find_cpython(self.root.parent / "cache"),
            skips=SkipList(entries),
        )
        return {result.test: result for result in suite.run()}
