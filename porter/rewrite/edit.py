"""Edits as data: what a rule returns and the engine applies."""

from __future__ import annotations

from attrs import frozen


@frozen(order=True)
class Span:
    """A half-open range of offsets in a unit's text.

    As a part of an edit it stands for its text with the edits inside it applied, save those of
    exactly this range by the rule `without`.
    """

    start: int
    end: int
    without: str = ""


@frozen
class Edit:
    """Replaces a range by parts: literal text, or ranges of the unit with their own edits applied.

    An edit with an equal start and end inserts.
    """

    start: int
    end: int
    parts: tuple[str | Span, ...]
    rule: str


def insert(offset: int, text: str, rule: str) -> Edit:
    """Puts `text` before `offset`."""
    return Edit(offset, offset, (text,), rule)


def wrap(span: Span, before: str, after: str, rule: str) -> Edit:
    """Puts text around a range and keeps what is inside."""
    return Edit(span.start, span.end, (before, span, after), rule)


def replace(span: Span, rule: str, *parts: str | Span) -> Edit:
    """Replaces a range by `parts`."""
    return Edit(span.start, span.end, tuple(parts), rule)
