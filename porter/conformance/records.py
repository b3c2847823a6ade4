"""The data that the parts exchange: a program to run, its outcome, a test's result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Protocol

import attrs


class ScriptStatus(Enum):
    """The exit state of one interpreter's program."""

    OK = "ok"  # ran to its end, or raised SystemExit with a false value
    EXIT = "exit"  # raised SystemExit with a true value
    EXCEPTION = "exception"  # raised an exception that it did not catch
    TIMEOUT = "timeout"  # was stopped by the deadline
    CRASH = "crash"  # the interpreter died or did not answer


@attrs.frozen
class Script:
    """A program for one interpreter, and the interpreter's file system.

    Attributes:
        name: Absolute path of the program, as in tracebacks and ``__file__``.
        source: Text of the program.
        cwd: Working directory; it exists even if ``tree`` has no file in it.
        tree: Files of the interpreter's private file system: pairs of path relative to ``/`` and
            content.
        setup: Program that the same interpreter runs first, under the same deadline.
    """

    name: str
    source: bytes
    cwd: str = "/"
    tree: tuple[tuple[str, bytes], ...] = ()
    setup: bytes = b""


@attrs.frozen
class ScriptOutcome:
    """The result of one program; ``output`` is stdout and stderr as one stream, in order."""

    output: bytes
    status: ScriptStatus
    cut: bool = False  # whether the output was longer than its buffer
    seconds: float = 0.0
    note: str = ""  # details from the runner, such as a signal's name


class ScriptRunner(Protocol):
    """An interface for running programs on a target, each in an interpreter of its own."""

    @property
    def target(self) -> str:
        """Name of the target: ``host``, ``cuda`` or ``reference``."""
        ...

    def run(
        self,
        programs: Sequence[Script],
        done: Callable[[int, ScriptOutcome], None] | None = None,
    ) -> list[ScriptOutcome]:
        """Run all programs.

        A program that hangs, crashes or overflows its output affects only its own outcome.

        Args:
            programs: Programs to run.
            done: Called with a program's index and outcome as soon as the outcome is known.

        Returns:
            The outcomes, in the order of the programs.
        """
        ...


class Verdict(Enum):
    """The evaluation of a test's result."""

    PASS = "pass"
    FAIL = "fail"
    SKIP = "skip"  # on the skip list, or skipped by upstream's rules, with a reason
    UNLISTED_SKIP = "unlisted-skip"  # skipped itself for a reason that the skip list lacks
    UNEXPECTED_PASS = "unexpected-pass"  # passed although it is on the skip list


GOOD_VERDICTS = frozenset({Verdict.PASS, Verdict.SKIP})


@attrs.frozen
class ReportedTest:
    """The verdict on one test, with the details that explain it."""

    test: str  # "basics/list1.py"
    verdict: Verdict
    reason: str = ""
    seconds: float = 0.0
    cases: int = 0  # unittest cases; without unittest, lines of expected output, as upstream counts
    expected: bytes = b""
    actual: bytes = b""

    @property
    def directory(self) -> str:
        """First component of the test's path."""
        return self.test.split("/", 1)[0]

    @property
    def good(self) -> bool:
        """Return whether the result permits exit code 0."""
        return self.verdict in GOOD_VERDICTS
