"""What is known of a value while bytecode is walked: its kind, and the C++ that holds it."""

from __future__ import annotations

from attrs import evolve, field, frozen

OBJECT, INT, FLOAT, BOOL = "object", "int", "float", "bool"
MEMORY = "memory"  # a slot of an iterator, which only the frame holds
DEAD = "dead"  # a variable that is written before it is read again
NOWHERE = (MEMORY, DEAD)
TYPES = {OBJECT: "mp_obj_t", INT: "int64_t", FLOAT: "double", BOOL: "bool"}
NUMBERS = (INT, FLOAT, BOOL)
LETTERS = {OBJECT: "o", INT: "i", FLOAT: "f", BOOL: "b"}
# Of each kind that is no object: whether a word is one, and the value of it.
UNBOX = {
    INT: ("tier_is_int", "tier_int"),
    FLOAT: ("tier_is_float", "tier_float"),
    BOOL: ("tier_is_bool", "tier_bool"),
}
A = {INT: "no small int", FLOAT: "no float", BOOL: "no bool"}

LEAST, MOST = -(1 << 46), (1 << 46) - 1  # of small integers


@frozen
class Range:
    """Integers from `low` to `high`, both of them too."""

    low: int = LEAST
    high: int = MOST

    def __or__(self, other: Range) -> Range:
        return Range(min(self.low, other.low), max(self.high, other.high))

    def within(self, low: int, high: int) -> bool:
        """Whether all of it is from `low` to `high`."""
        return low <= self.low and self.high <= high

    @property
    def small(self) -> bool:
        """Whether all of it are small integers."""
        return self.within(LEAST, MOST)


SMALL = Range()


@frozen
class Value:
    """kind: one of the above. text: an expression without effects. clean: the frame holds it.
    bound: it is not what a variable is before its first value. range: of an INT. origin: of an INT
    that may be no small integer, where the interpreter begins anew. test: of a BOOL the comparison
    of integers that it is."""

    kind: str
    text: str
    clean: bool = False
    bound: bool = True
    range: Range = SMALL
    origin: Origin | None = None
    test: tuple[str, Value, Value] | None = None

    def boxed(self) -> str:
        """The same as an object's word."""
        if self.kind == INT:
            return f"tier_from_int({self.text})"
        if self.kind == FLOAT:
            return f"tier_from_float({self.text})"
        if self.kind == BOOL:
            return f"tier_from_bool({self.text})"
        return self.text

    def kept(self) -> Value:
        """Once the frame holds it."""
        return evolve(self, clean=True)

    def moved(self) -> Value:
        """In another slot, whose memory does not hold it."""
        return evolve(self, clean=False, bound=True)

    def known(self) -> Known:
        """It without its text."""
        return Known(self.kind, self.clean, self.bound, self.range if self.kind == INT else SMALL)


@frozen
class Origin:
    """Where the interpreter begins anew if an integer is no small one, and with which frame."""

    at: int
    state: BlockState


@frozen
class Known:
    """Of one slot: a Value without its text."""

    kind: str
    clean: bool = True
    bound: bool = False
    range: Range = SMALL


@frozen
class Shape:
    """What is known where a block begins, of each slot. names: of each global, None where only the
    dict has it. views: of each variable and global whether variables of C++ say where its elements
    are."""

    stack: tuple[Known, ...]
    locals: tuple[Known, ...]
    names: tuple[Known | None, ...]
    views: tuple[bool, ...] = ()


@frozen
class BlockState:
    """Slots of the stack, variables and globals while a block is walked."""

    stack: list[Value] = field(factory=list)
    locals: list[Value] = field(factory=list)
    names: list[Value | None] = field(factory=list)
    views: list[bool] = field(factory=list)

    def shape(self) -> Shape:
        """What is known of them."""
        return Shape(
            tuple(value.known() for value in self.stack),
            tuple(value.known() for value in self.locals),
            tuple(None if value is None else value.known() for value in self.names),
            tuple(self.views),
        )

    def copy(self) -> BlockState:
        """The same, which later instructions do not change."""
        return BlockState(list(self.stack), list(self.locals), list(self.names), list(self.views))

    def holder(self, value: Value) -> int | None:
        """The number of the variable or global that holds an object, as views are counted."""
        if value.kind != OBJECT:
            return None
        for at, held in enumerate((*self.locals, *self.names)):
            if held is not None and held.kind == OBJECT and held.text == value.text:
                return at
        return None

    def held(self, at: int) -> Value | None:
        """What the variable or global of that number holds."""
        return [*self.locals, *self.names][at]

    def narrow(self, old: Value, new: Value) -> None:
        """Says of every slot that holds `old` what is known of it now."""
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
    """The variable of C++ that holds a slot between blocks."""
    return f"{prefix}{number}{LETTERS.get(kind, '')}"


def state_of(shape: Shape) -> BlockState:
    """The slots where a block begins: each is in its variable."""

    def held(prefix: str, number: int, known: Known) -> Value:
        name = slot_name(prefix, number, known.kind)
        return Value(known.kind, name, known.clean, known.bound, known.range)

    return BlockState(
        [held("s", n, known) for n, known in enumerate(shape.stack)],
        [held("v", n, known) for n, known in enumerate(shape.locals)],
        [None if k is None else held("g", n, k) for n, k in enumerate(shape.names)],
        list(shape.views),
    )
