"""Abstract values of the translator: representation, range and C++ expression of each slot.

A *slot* is a position of the stack, a local variable or a global. Its *kind* is its representation
in C++: an object, or an unboxed int, float or bool. walker.py transforms a `BlockState` with each
instruction; flow.py merges `Shape`s where control flow meets.
"""

from __future__ import annotations

from attrs import evolve, field, frozen

OBJECT, INT, FLOAT, BOOL = "object", "int", "float", "bool"
MEMORY = "memory"  # a slot of an iterator on the stack: in the frame, never in a C++ variable
DEAD = "dead"  # a variable that will be written before it is read again
NOWHERE = (MEMORY, DEAD)
TYPES = {OBJECT: "mp_obj_t", INT: "int64_t", FLOAT: "double", BOOL: "bool"}
NUMBERS = (INT, FLOAT, BOOL)
LETTERS = {OBJECT: "o", INT: "i", FLOAT: "f", BOOL: "b"}
# C++ functions that test for an unboxed kind in an object, and that unbox it.
UNBOX = {
    INT: ("tier_is_int", "tier_int"),
    FLOAT: ("tier_is_float", "tier_float"),
    BOOL: ("tier_is_bool", "tier_bool"),
}
A = {INT: "no small int", FLOAT: "no float", BOOL: "no bool"}

LEAST, MOST = -(1 << 46), (1 << 46) - 1  # the range of small integers, 47 bits


@frozen
class Range:
    """The integers from `low` to `high`, inclusive."""

    low: int = LEAST
    high: int = MOST

    def __or__(self, other: Range) -> Range:
        return Range(min(self.low, other.low), max(self.high, other.high))

    def within(self, low: int, high: int) -> bool:
        """Return whether the whole range lies between `low` and `high`, inclusive."""
        return low <= self.low and self.high <= high

    @property
    def small(self) -> bool:
        """Whether the range has small integers only."""
        return self.within(LEAST, MOST)


SMALL = Range()


@frozen
class Value:
    """An abstract value in a slot.

    Attributes:
        kind: Representation: OBJECT, INT, FLOAT, BOOL, MEMORY or DEAD.
        text: C++ expression without side effects.
        clean: Whether the slot's memory (frame or dict) holds the value already.
        bound: Whether the value is known not to be an unbound variable.
        range: Range of an INT.
        origin: Deoptimization state of an INT that may exceed a small integer, else None.
        test: Operator and operands of a BOOL that is a comparison of integers, else None.
    """

    kind: str
    text: str
    clean: bool = False
    bound: bool = True
    range: Range = SMALL
    origin: Origin | None = None
    test: tuple[str, Value, Value] | None = None

    def boxed(self) -> str:
        """Return the C++ expression of the value as an object."""
        if self.kind == INT:
            return f"tier_from_int({self.text})"
        if self.kind == FLOAT:
            return f"tier_from_float({self.text})"
        if self.kind == BOOL:
            return f"tier_from_bool({self.text})"
        return self.text

    def kept(self) -> Value:
        """Return the value as it is once its slot's memory holds it."""
        return evolve(self, clean=True)

    def moved(self) -> Value:
        """Return the value as it is in another slot, whose memory does not hold it."""
        return evolve(self, clean=False, bound=True)

    def known(self) -> Known:
        """Return the value without its C++ expression."""
        return Known(self.kind, self.clean, self.bound, self.range if self.kind == INT else SMALL)


@frozen
class Origin:
    """Deoptimization state of an integer: where the interpreter resumes if it is too large.

    Attributes:
        at: Position of the instruction that the interpreter runs again.
        state: Slots before that instruction.
    """

    at: int
    state: BlockState


@frozen
class Known:
    """A `Value` without its C++ expression: what data flow analysis knows of a slot."""

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


@frozen
class BlockState:
    """The slots at one point of a block: a `Shape` with C++ expressions, updated by the walk."""

    stack: list[Value] = field(factory=list)
    locals: list[Value] = field(factory=list)
    names: list[Value | None] = field(factory=list)
    views: list[bool] = field(factory=list)

    def shape(self) -> Shape:
        """Return the slots without their C++ expressions."""
        return Shape(
            tuple(value.known() for value in self.stack),
            tuple(value.known() for value in self.locals),
            tuple(None if value is None else value.known() for value in self.names),
            tuple(self.views),
        )

    def copy(self) -> BlockState:
        """Return a copy that later instructions do not change."""
        return BlockState(list(self.stack), list(self.locals), list(self.names), list(self.views))

    def holder(self, value: Value) -> int | None:
        """Return the index in `views` of a variable or global that holds an object, or None."""
        if value.kind != OBJECT:
            return None
        for at, held in enumerate((*self.locals, *self.names)):
            if held is not None and held.kind == OBJECT and held.text == value.text:
                return at
        return None

    def held(self, at: int) -> Value | None:
        """Return the value of a variable or global by its index in `views`."""
        return [*self.locals, *self.names][at]

    def narrow(self, old: Value, new: Value) -> None:
        """Replace `old` by `new`, of which more is known, in each slot that holds it."""
        for slots in (self.stack, self.locals):
            for at, value in enumerate(slots):
                if value.text == old.text and value.kind == old.kind:
                    slots[at] = _as(value, new)
        for at, held in enumerate(self.names):
            if held is not None and held.text == old.text and held.kind == old.kind:
                self.names[at] = _as(held, new)


def _as(value: Value, new: Value) -> Value:
    return evolve(value, kind=new.kind, text=new.text, bound=True, range=new.range)


def slot_name(prefix: str, number: int, kind: str) -> str:
    """Return the name of the C++ variable that holds a slot between blocks.

    Args:
        prefix: "s" for the stack, "v" for local variables, "g" for globals.
        number: Index of the slot.
        kind: Representation of the slot.
    """
    return f"{prefix}{number}{LETTERS.get(kind, '')}"


def state_of(shape: Shape) -> BlockState:
    """Return the slots where a block of that shape begins: each is in its C++ variable."""

    def held(prefix: str, number: int, known: Known) -> Value:
        name = slot_name(prefix, number, known.kind)
        return Value(known.kind, name, known.clean, known.bound, known.range)

    return BlockState(
        [held("s", n, known) for n, known in enumerate(shape.stack)],
        [held("v", n, known) for n, known in enumerate(shape.locals)],
        [None if k is None else held("g", n, k) for n, k in enumerate(shape.names)],
        list(shape.views),
    )
