"""Report what native code a launch had, and which guards failed, by lines of Python source.

natives.py creates the report after a launch. `Outcome.compiled` and `porter run --times` show it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice

from attrs import field, frozen

from porter.base import markup
from porter.base.deprecated import RenamedKeys, renamed_fields

MOST_SHOWN = 20  # maximum number of functions, and of failed guards, in displays


@frozen
class NativeFunction:
    """A function of a program, and whether it has native code."""

    source: str  # name of the program
    name: str
    line: int  # line of the source at which the code of the function begins
    entries: int  # number of instructions at which native code can be entered; 0: only bytecode

    def __str__(self) -> str:
        return f"{self.source}:{self.line} {self.name}"


@frozen
class FailedGuard:
    """A guard that failed in one launch: native code bailed out to the interpreter."""

    source: str  # name of the program
    function: str
    line: int  # number of the line in the source
    text: str  # text of the line
    what: str  # reason, for example: x is no float
    count: int  # number of failures in the launch

    def __str__(self) -> str:
        return f"{self.source}:{self.line} {self.function}: {self.text}: {self.what}"


def _step_seconds(seconds: Mapping[str, float]) -> Mapping[str, float]:
    return RenamedKeys(seconds, {"trial": "profile"})


@renamed_fields(gave_up="failed_guards")
@frozen(repr=False)
class NativeReport:
    """The native code of a launch, for all programs of its interpreters together."""

    functions: tuple[NativeFunction, ...]  # all functions, including those that stay bytecode
    failed_guards: tuple[FailedGuard, ...]  # in descending order of failures
    # Seconds of the steps profile, translate, compile and load.
    seconds: Mapping[str, float] = field(converter=_step_seconds)
    cached: bool  # whether all native code came from the cache

    @property
    def compiled(self) -> tuple[NativeFunction, ...]:
        """The functions that have native code."""
        return tuple(function for function in self.functions if function.entries)

    @property
    def title(self) -> str:
        """A line with the number of compiled functions and the seconds of each step."""
        steps = ", ".join(f"{name} {value:.3f} s" for name, value in self.seconds.items())
        how = " from the cache" if self.cached else ""
        return f"compiled{how}: {len(self.compiled)} of {len(self.functions)} functions, {steps}"

    def lines(self) -> list[str]:
        """Return the report as lines of text."""
        lines = [self.title]
        lines += _shown(f"  {function}" for function in self.compiled)
        if self.failed_guards:
            lines.append(f"bailed out {sum(guard.count for guard in self.failed_guards)} times")
            lines += _shown(f"  {guard.count}x {guard}" for guard in self.failed_guards)
        return lines

    def __repr__(self) -> str:
        return markup.visible("\n".join(self.lines()))

    def _repr_html_(self) -> str:
        names = [(str(function), function.entries) for function in self.compiled[:MOST_SHOWN]]
        parts = [markup.table(names, ("compiled", "entries"))] if names else []
        rows = [
            (f"{guard.count:,}", f"{guard.source}:{guard.line}", guard.text, guard.what)
            for guard in self.failed_guards[:MOST_SHOWN]
        ]
        if rows:
            parts.append(markup.table(rows, ("bailouts", "where", "line", "why")))
        return markup.panel(self.title, *parts)


def _shown(lines: Iterable[str]) -> list[str]:
    found = list(lines)
    left = len(found) - MOST_SHOWN
    return [*islice(found, MOST_SHOWN), *([f"  ... and {left} more"] if left > 0 else [])]
