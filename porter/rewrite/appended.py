"""Functions that a rule adds at the end of a unit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from porter.rewrite.edit import Edit, Part, insert
from porter.rewrite.names import identifier
from porter.syntax.node import Unit


def init_function(unit: str) -> str:
    """The name of the function that gives a unit's moved variables their initial values."""
    return "porter_init_" + identifier(unit)


def setup_function(unit: str) -> str:
    """The name of the function that stores a unit's references that close a cycle."""
    return "porter_setup_" + identifier(unit)


def targets_function(unit: str) -> str:
    """The name of the function that adds what a unit's pointers may call to the table of it."""
    return "porter_targets_" + identifier(unit)


def append_function(unit: Unit, name: str, statements: Sequence[Part], rule: str) -> Iterator[Edit]:
    """Declares and defines `void name(void)` with these statements behind all of the unit."""
    end = len(unit.text)
    head = f"\nPORTER_DEVICE void {name}(void);\nPORTER_DEVICE void {name}(void) {{\n"
    yield insert(end, head, rule)
    yield Edit(end, end, tuple(statements), rule)
    yield insert(end, "}\n", rule)
