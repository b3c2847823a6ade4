"""Functions that a rule adds at the end of a unit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from porter.rewrite.edit import Edit, Part, insert
from porter.rewrite.names import identifier
from porter.syntax.node import Unit


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
