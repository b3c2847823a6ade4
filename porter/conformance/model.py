"""The values that pass between the parts: a program to run, its outcome, a test's result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Protocol

import attrs


class ScriptStatus(Enum):
    """How one interpreter's program ended."""

    OK = "ok"  # ran to its end, or raised SystemExit with a false value
    EXIT = "exit"  # SystemExit with a true value
    EXCEPTION = "exception"  # an exception that nothing caught
    TIMEOUT = "timeout"  # stopped by the deadline
    CRASH = "crash"  # the interpreter itself died, or never gave an answer


@attrs.frozen
class Script:
    """One program for one interpreter, and the file system it finds.

    ``tree`` is what stands below ``/``, private to the interpreter: pairs of path
    relative to ``/`` and content. ``cwd`` is there even if ``tree`` has nothing in
    it. ``setup`` is run first, in the same interpreter and under the same deadline.
    """

    name: str  # absolute path: what tracebacks and __file__ say
    source: bytes
    cwd: str = "/"
    tree: tuple[tuple[str, bytes], ...] = ()
    setup: bytes = b""


@attrs.frozen
class ScriptOutcome:
    """What one interpreter answered: stdout and stderr as one stream, in order."""

    output: bytes
    status: ScriptStatus
    cut: bool = False  # output was longer than its buffer
    seconds: float = 0.0
    note: str = ""  # what a runner knows beyond the output, such as a signal's name


class ScriptRunner(Protocol):
    """Runs programs on one target, each in an interpreter of its own."""

    @property
    def target(self) -> str:
        """Name of the target: ``host``, ``cuda`` or ``reference``."""
        ...

    def run(
        self,
        programs: Sequence[Script],
        done: Callable[[int, ScriptOutcome], None] | None = None,
    ) -> list[ScriptOutcome]:
        """Run all programs; the outcomes come in the programs' order.

        ``done`` is told each program's index and outcome as soon as it is known.
        A program that hangs, crashes or overflows its output affects its own
        outcome only.
        """
        ...


class Verdict(Enum):
    """What a test's result is worth."""

    PASS = "pass"
    FAIL = "fail"
    SKIP = "skip"  # on the skip list, or skipped by upstream's rules, with a reason
    UNLISTED_SKIP = "unlisted-skip"  # skipped itself, and the skip list does not know it
    UNEXPECTED_PASS = "unexpected-pass"  # on the skip list, and passes


GOOD_VERDICTS = frozenset({Verdict.PASS, Verdict.SKIP})


@attrs.frozen
class ReportedTest:
    """One test's verdict, and what a reader needs to see why."""

    test: str  # "basics/list1.py"
    verdict: Verdict
    reason: str = ""
    seconds: float = 0.0
    cases: int = 0  # unittest cases, else lines of expected output, as upstream counts
    expected: bytes = b""
    actual: bytes = b""

    @property
    def directory(self) -> str:
        """The first part of the test's path."""
        return self.test.split("/", 1)[0]

    @property
    def good(self) -> bool:
        """Whether this result leaves the exit code at 0."""
        return self.verdict in GOOD_VERDICTS
