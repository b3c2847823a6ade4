"""Edits as data: what a rule returns and the engine applies."""

from __future__ import annotations

from attrs import frozen

from porter.syntax.span import Span


@frozen
class Without:
    """As a part of an edit: the text of `span` with all edits applied but one.

    The edits of exactly this range by the rule `rule` are left out. So a rule can move the text
    that it replaces.
    """

    span: Span
    rule: str


# Literal text, or a range of the unit, which stands for its text with the edits inside it applied.
Part = str | Span | Without


@frozen
class Edit:
    """Replaces the half-open range of offsets from `start` to `end` by `parts`.

    An edit with an equal start and end inserts. `rule` is the name of the rule that made it.
    """

    start: int
    end: int
    parts: tuple[Part, ...]
    rule: str


def insert(offset: int, text: str, rule: str) -> Edit:
    """Puts `text` before `offset`."""
    return Edit(offset, offset, (text,), rule)


def wrap(span: Span, before: str, after: str, rule: str) -> Edit:
    """Puts text around a range and keeps what is inside."""
    return Edit(span.start, span.end, (before, span, after), rule)


def replace(span: Span, rule: str, *parts: Part) -> Edit:
    """Replaces a range by `parts`."""
    return Edit(span.start, span.end, parts, rule)
