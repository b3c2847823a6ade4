"""Representations of values in native code, ranges of integers, and the slots where a block begins.

A *slot* is a position of the stack, a local variable or a global. Its representation is an object
or an unboxed int, float or bool. flow.py infers one `Shape` for each block; the IR and the
translation of a block (values.py) start from it.
"""

from __future__ import annotations

from attrs import frozen

OBJECT, INT, FLOAT, BOOL = "object", "int", "float", "bool"
MEMORY = "memory"  # a slot of an iterator on the stack: in the frame, never in a C++ variable
DEAD = "dead"  # a variable that will be written before it is read again
NOWHERE = (MEMORY, DEAD)  # in no C++ variable
NUMBERS = (INT, FLOAT, BOOL)
_LETTERS = {OBJECT: "o", INT: "i", FLOAT: "f", BOOL: "b"}

MIN_SMALL, MAX_SMALL = -(1 << 46), (1 << 46) - 1  # small integers have 47 bits


@frozen
class Range:
    """The integers from `low` to `high`, inclusive."""

    low: int = MIN_SMALL
    high: int = MAX_SMALL

    def within(self, low: int, high: int) -> bool:
        """Return whether the whole range lies between `low` and `high`, inclusive."""
        return low <= self.low and self.high <= high

    @property
    def small(self) -> bool:
        """Return whether the range has small integers only."""
        return self.within(MIN_SMALL, MAX_SMALL)


SMALL = Range()


@frozen
class Known:
    """The facts about a slot where a block begins.

    Attributes:
        kind: Representation: OBJECT, INT, FLOAT, BOOL, MEMORY or DEAD.
        clean: Whether the slot's memory (frame or dict) holds the value already.
        bound: Whether the value is known not to be an unbound variable.
        range: Range of an INT.
    """

    kind: str
    clean: bool = True
    bound: bool = False
    range: Range = SMALL


@frozen
class Shape:
    """The slots where a block begins.

    Attributes:
        stack: The stack, bottom first.
        locals: Local variables by number.
        names: Globals, in the order of `Graph.names`; None for a global that is in its dict only.
        views: For each variable and then each global, whether C++ variables hold a view: address,
            length and typecode of its elements.
    """

    stack: tuple[Known, ...]
    locals: tuple[Known, ...]
    names: tuple[Known | None, ...]
    views: tuple[bool, ...] = ()

    def variables(self) -> list[tuple[str, str]]:
        """Return name and representation of the C++ variable of each slot that has one."""
        known = (("s", self.stack), ("v", self.locals), ("g", self.names))
        return [
            (slot_name(prefix, number, one.kind), one.kind)
            for prefix, slots in known
            for number, one in enumerate(slots)
            if one is not None and one.kind not in NOWHERE
        ]


def slot_name(prefix: str, number: int, kind: str) -> str:
    """Return the name of the C++ variable that holds a slot between blocks.

    Args:
        prefix: "s" for the stack, "v" for local variables, "g" for globals.
        number: Index of the slot.
        kind: Representation of the slot.
    """
    return f"{prefix}{number}{_LETTERS.get(kind, '')}"
