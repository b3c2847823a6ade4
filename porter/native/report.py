"""What was compiled of programs, and where their machine code gave up, in Python's lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice

from attrs import frozen

from porter.base import markup

MOST_SHOWN = 20  # functions, and places, in what people read


@frozen
class NativeFunction:
    """A function of the program `source`, and the line of it at which its code begins.

    entries: at how many instructions its machine code can begin; 0: it stays bytecode.
    """

    source: str
    name: str
    line: int
    entries: int

    def __str__(self) -> str:
        return f"{self.source}:{self.line} {self.name}"


@frozen
class GaveUp:
    """A place where machine code handed over to the interpreter, `count` times in one launch.

    text: the line. what: why, such as "x is no float".
    """

    source: str
    function: str
    line: int
    text: str
    what: str
    count: int

    def __str__(self) -> str:
        return f"{self.source}:{self.line} {self.function}: {self.text}: {self.what}"


@frozen(repr=False)
class NativeReport:
    """Machine code that a launch had, of all programs of its interpreters together.

    gave_up: what gave up most often first. seconds: by step, of making it: translate, compile,
    load. cached: all of it was made before.
    """

    functions: tuple[NativeFunction, ...]
    gave_up: tuple[GaveUp, ...]
    seconds: Mapping[str, float]
    cached: bool

    @property
    def compiled(self) -> tuple[NativeFunction, ...]:
        """The functions that have machine code."""
        return tuple(function for function in self.functions if function.entries)

    @property
    def title(self) -> str:
        """How much was compiled, and how long that took."""
        steps = ", ".join(f"{name} {value:.3f} s" for name, value in self.seconds.items())
        how = " from the cache" if self.cached else ""
        return f"compiled{how}: {len(self.compiled)} of {len(self.functions)} functions, {steps}"

    def lines(self) -> list[str]:
        """It for people."""
        lines = [self.title]
        lines += _shown(f"  {function}" for function in self.compiled)
        if self.gave_up:
            lines.append(f"gave up {sum(place.count for place in self.gave_up)} times")
            lines += _shown(f"  {place.count}x {place}" for place in self.gave_up)
        return lines

    def __repr__(self) -> str:
        return markup.visible("\n".join(self.lines()))

    def _repr_html_(self) -> str:
        names = [(str(function), function.entries) for function in self.compiled[:MOST_SHOWN]]
        parts = [markup.table(names, ("compiled", "entries"))] if names else []
        rows = [
            (f"{place.count:,}", f"{place.source}:{place.line}", place.text, place.what)
            for place in self.gave_up[:MOST_SHOWN]
        ]
        if rows:
            parts.append(markup.table(rows, ("gave up", "where", "line", "why")))
        return markup.panel(self.title, *parts)


def _shown(lines: Iterable[str]) -> list[str]:
    found = list(lines)
    left = len(found) - MOST_SHOWN
    return [*islice(found, MOST_SHOWN), *([f"  ... and {left} more"] if left > 0 else [])]
