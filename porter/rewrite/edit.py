"""Edits as data: what a rule returns and the engine applies."""

from __future__ import annotations

from attrs import frozen

from porter.syntax.span import Span


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
