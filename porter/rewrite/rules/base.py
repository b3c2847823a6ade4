"""What every rule is: a class that finds one construct in a unit and returns edits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from attrs import frozen

from porter.errors import UnknownConstruct
from porter.rewrite.edit import Edit, Span
from porter.rewrite.program import Program
from porter.syntax.node import Node, Unit


@frozen
class Example:
    """A rule's example: C in, and the C++ that this rule alone makes of it."""

    before: str
    after: str


class Rule:
    """Finds one construct and returns edits; nothing else changes source."""

    name: ClassVar[str]
    example: ClassVar[Example]

    def edits(self, unit: Unit, program: Program) -> Iterator[Edit]:
        """The edits for one unit.

        Raises:
            UnknownConstruct: the rule meets a form that it cannot rewrite.
        """
        raise NotImplementedError

    def refuse(self, node: Node, reason: str) -> UnknownConstruct:
        """The error for a construct that this rule knows but cannot handle."""
        return self.refuse_at(node.unit, node.span, reason)

    def refuse_at(self, unit: Unit, span: Span, reason: str) -> UnknownConstruct:
        """The same for a range of the unit's text."""
        file, line, column = unit.location(span.start)
        construct = unit.text[span.start : span.end]
        return UnknownConstruct(file, line, column, self.name, construct, reason)
