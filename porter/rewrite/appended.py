"""Functions that a rule adds at the end of a unit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from porter.rewrite.edit import Edit, Span, insert
from porter.syntax.node import Unit


def append_function(
    unit: Unit, name: str, statements: Sequence[str | Span], rule: str
) -> Iterator[Edit]:
    """Declares and defines `void name(void)` with these statements behind all of the unit."""
    end = len(unit.text)
    head = f"\nPORTER_DEVICE void {name}(void);\nPORTER_DEVICE void {name}(void) {{\n"
    yield insert(end, head, rule)
    yield Edit(end, end, tuple(statements), rule)
    yield insert(end, "}\n", rule)
