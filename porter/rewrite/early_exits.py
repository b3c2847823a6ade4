"""The report on early exits: every pair that an unwind can separate, and why none is left.

What leads out of a function takes back the changes of the pairs that it can (`exits.py`). The
others have to be harmless, for a reason that stands in `early_exits.toml`. A pair that is neither
is *left*: `porter rules --early-exits` lists it and ends with an error, and a test fails.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from attrs import evolve, frozen

from porter.rewrite.exits import Exits, exits_of
from porter.rewrite.program import WholeProgram
from porter.rewrite.queries import body
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Unit

RESTORED, HARMLESS, LEFT = "restored", "harmless", "left"
REASONS = Path(__file__).with_suffix(".toml")


@frozen
class Pair:
    """One pair of the report.

    Attributes:
        function: The function's key.
        path: What the pair changes; of what a local pointer leads to only the field.
        kind: As of `porter.rewrite.pairs.Separated`.
        file: The file of the first change, as line markers name it.
        line: Its line.
        status: `restored`, `harmless` or `left`.
        reason: Why it is harmless; else empty.
    """

    function: str
    path: str
    kind: str
    file: str
    line: int
    status: str
    reason: str = ""


@frozen
class Reason:
    """Why some pairs are harmless. `file`, `function` and `path` are patterns of the shell."""

    reason: str
    file: str = "*"
    function: str = "*"
    path: str = "*"

    def holds(self, pair: Pair) -> bool:
        """Whether the reason is one for a pair."""
        return all(
            fnmatchcase(name, pattern)
            for name, pattern in (
                (pair.file, self.file),
                (pair.function, self.function),
                (pair.path, self.path),
            )
        )


@cache
def reasons() -> tuple[Reason, ...]:
    """Return the reasons of `early_exits.toml`."""
    entries = tomllib.loads(REASONS.read_text("utf-8"))["harmless"]
    return tuple(Reason(**entry) for entry in entries)


def early_exits(unit: Unit, program: WholeProgram) -> tuple[Pair, ...]:
    """Return the pairs of a unit's functions that an unwind can separate, without reasons."""
    found: dict[Pair, None] = {}
    for node in unit.declarations:
        if node.kind == K.FUNCTION_DECL and body(node) is not None:
            found.update(dict.fromkeys(_pairs(exits_of(node, program))))
    return tuple(found)


def explained(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    """Return pairs of which those that are left and have a reason are harmless."""
    return tuple(dict.fromkeys(map(_explained, pairs)))


def _explained(pair: Pair) -> Pair:
    reason = next((known.reason for known in reasons() if known.holds(pair)), "")
    if pair.status != LEFT or not reason:
        return pair
    return evolve(pair, status=HARMLESS, reason=reason)


def _pairs(exits: Exits) -> Iterator[Pair]:
    for one in exits.pairs:
        file, line, _ = exits.function.unit.location(one.first.start)
        path = one.path if one.path.startswith("v:") else one.path.rpartition("->")[2]
        status = RESTORED if exits.is_restored(one) else LEFT
        yield Pair(exits.key, path.removeprefix("v:"), one.kind, file, line, status)
