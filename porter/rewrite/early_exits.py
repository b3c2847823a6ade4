"""The report on early exits: every pair of changes that an unwind can separate, with its status.

Exit code undoes the first change of a pair where it can (`unwind_exits.py`): the pair is
*restored*. Any other pair must be *harmless*, for a reason given in `early_exits.toml`. A pair that
is neither is *left*: `porter rules --early-exits` lists it and fails, and a test fails.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from attrs import evolve, frozen

from porter.rewrite.program import WholeProgram
from porter.rewrite.queries import body
from porter.rewrite.unwind_exits import Exits, exits_of
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Unit

RESTORED, HARMLESS, LEFT = "restored", "harmless", "left"
REASONS = Path(__file__).with_suffix(".toml")


@frozen
class Pair:
    """A pair of changes in the report.

    Attributes:
        function: The function's key.
        path: The changed path. Behind a local pointer, only the field's name.
        kind: The `kind` of `porter.rewrite.change_pairs.Separated`.
        file: The file of the first change, as line markers name it.
        line: The line of the first change.
        status: `restored`, `harmless` or `left`.
        reason: The reason why a harmless pair is harmless; else empty.
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
    """A reason why some pairs are harmless. The other attributes are shell patterns for a pair."""

    reason: str
    file: str = "*"
    function: str = "*"
    path: str = "*"

    def holds(self, pair: Pair) -> bool:
        """Return whether the reason applies to a pair."""
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
    """Return the pairs of a unit that an unwind can separate, before reasons are applied."""
    found: dict[Pair, None] = {}
    for node in unit.declarations:
        if node.kind == K.FUNCTION_DECL and body(node) is not None:
            found.update(dict.fromkeys(_pairs(exits_of(node, program))))
    return tuple(found)


def explained(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    """Return the pairs; a left pair that matches a reason becomes harmless."""
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
