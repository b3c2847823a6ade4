"""The outcome of one launch of an array."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from attrs import field, frozen
from markupsafe import Markup

from porter.array import html
from porter.array.exceptions import Exceptions
from porter.base import markup
from porter.errors import InterpreterError, InterpreterTimeout
from porter.native import NativeReport
from porter.run import Result, Stream
from porter.run.advice import Lack, Limited, advice, limit_hint
from porter.run.device.base import Array

SHOWN = 3  # groups whose tracebacks an error's message contains
SHOWN_BYTES = 1 << 14  # bytes of each stream in a notebook


@frozen(eq=False)
class Outcome:
    """Outputs, statuses and exceptions of one launch.

    Attributes:
        stdout: Standard output of the interpreters.
        stderr: Standard error of the interpreters.
        status: Their statuses (n int32).
        exit_code: Codes of SystemExit (n int32).
        exceptions: The distinct exceptions.
        seconds: Duration of the launch.
        interrupted: Whether the timeout passed.
        lacks: Sizes that were too small, and sufficient ones.
        limited: Limits per interpreter that ended programs.
        order: Start order of interpreters, as in Result.
        compiled: The native code in use and its side exits; None where none was asked for.
    """

    stdout: Stream
    stderr: Stream
    status: np.ndarray[Any, Any] = field(repr=False)
    exit_code: np.ndarray[Any, Any] = field(repr=False)
    exceptions: Exceptions
    seconds: float
    interrupted: bool
    lacks: tuple[Lack, ...] = ()
    limited: tuple[Limited, ...] = ()
    _taken: Array | None = field(default=None, repr=False)
    order: str = field(default="caller", repr=False)
    compiled: NativeReport | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls, result: Result, exceptions: Exceptions, compiled: NativeReport | None = None
    ) -> Outcome:
        """Make the outcome of a launch's result."""
        streams = (result.stdout, result.stderr)
        statuses = (result.status, result.exit_code)
        ended = (result.seconds, result.interrupted)
        limits = (result.lacks, result.limited)
        last = (result.taken, result.order)
        outcome = cls(*streams, *statuses, exceptions, *ended, *limits, *last)
        return outcome if compiled is None else attrs.evolve(outcome, compiled=compiled)

    @property
    def steps(self) -> np.ndarray[Any, Any]:
        """Loop iterations, branches and calls of each program (n uint64), copied on each read."""
        if self._taken is None:
            return np.zeros(len(self.status), np.uint64)
        return self.stdout.device.host(self._taken)

    @property
    def failed(self) -> np.ndarray[Any, Any]:
        """Which interpreters an exception ended (n bools)."""
        return self.exceptions.failed

    def _repr_html_(self) -> str:
        title = f"{html.many(len(self.status))}, {self.seconds:.3g} s"
        if count := int(self.failed.sum()):
            title += f", {count:,} failed"
        parts = [
            html.as_html(html.stream_lines(self.stdout), SHOWN_BYTES),
            html.as_html(
                html.stderr_lines(self.stderr, self.failed), SHOWN_BYTES, colour=markup.RED
            ),
        ]
        if len(self.exceptions):
            parts.append(html.exceptions_html(self.exceptions))
        if self.compiled is not None:
            parts.append(Markup(self.compiled._repr_html_()))
        return markup.panel(title, *parts)

    def check(self) -> None:
        """Raise InterpreterError, or InterpreterTimeout, if an interpreter failed."""
        if not len(self.exceptions):
            return
        count, n = int(self.failed.sum()), len(self.status)
        lines = [f"{count} of {n} interpreters raised {_named(self.exceptions)}"]
        for raised in self.exceptions[:SHOWN]:
            lines.append(f"{raised.count}x:\n{raised.traceback.rstrip()}")
        if len(self.exceptions) > SHOWN:
            lines.append(f"... and {len(self.exceptions) - SHOWN} more different exceptions")
        hints = (advice(self.lacks, n, python=True), limit_hint(self.limited, python=True))
        hint = " ".join(filter(None, hints)) or None
        lines += [hint] if hint else []
        error = InterpreterTimeout if self.interrupted or self.limited else InterpreterError
        raise error("\n".join(lines), hint=hint, exceptions=self.exceptions, outcome=self)


def _named(exceptions: Exceptions) -> str:
    names = list(dict.fromkeys(raised.type for raised in exceptions[:SHOWN]))
    return ", ".join(names) + (", ..." if len(exceptions) > SHOWN else "")
