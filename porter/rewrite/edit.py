"""Edits as data: what a rule returns and the engine applies.

An edit replaces or inserts text in a unit. An appended function stands at the end of the unit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from porter.rewrite.spelling import identifier
from porter.syntax.node import Span, Unit


@frozen
class Without:
    """A part of an edit: the text of `span`, rewritten by all rules except one.

    Edits of exactly this range by the rule `rule` are skipped. A rule can thus move the text that
    it replaces.
    """

    span: Span
    rule: str


# Literal text, or a range of the unit: the range's text after the edits inside it.
Part = str | Span | Without


@frozen
class Edit:
    """A replacement of a range of a unit's text.

    Attributes:
        start: The first offset of the range, in characters.
        end: The offset behind the range; equal to `start` for an insertion.
        parts: The new text.
        rule: The name of the rule that made the edit.
    """

    start: int
    end: int
    parts: tuple[Part, ...]
    rule: str


def insert(offset: int, text: str, rule: str) -> Edit:
    """Return an edit that inserts text at an offset."""
    return Edit(offset, offset, (text,), rule)


def wrap(span: Span, before: str, after: str, rule: str) -> Edit:
    """Return an edit that inserts text before and behind a range."""
    return Edit(span.start, span.end, (before, span, after), rule)


def replace(span: Span, rule: str, *parts: Part) -> Edit:
    """Return an edit that replaces a range by `parts`."""
    return Edit(span.start, span.end, parts, rule)


def init_function(unit: str) -> str:
    """Return the name of the function that stores the initial values of a unit's state."""
    return "porter_init_" + identifier(unit)


def setup_function(unit: str) -> str:
    """Return the name of the function that stores a unit's cycle-closing references at load."""
    return "porter_setup_" + identifier(unit)


def targets_function(unit: str) -> str:
    """Return the name of the function that adds a unit's call targets to the target table."""
    return "porter_targets_" + identifier(unit)


def append_function(unit: Unit, name: str, statements: Sequence[Part], rule: str) -> Iterator[Edit]:
    """Declare and define `void name(void)` with these statements at the end of the unit."""
    end = len(unit.text)
    head = f"\nPORTER_DEVICE void {name}(void);\nPORTER_DEVICE void {name}(void) {{\n"
    yield insert(end, head, rule)
    yield Edit(end, end, tuple(statements), rule)
    yield insert(end, "}\n", rule)
