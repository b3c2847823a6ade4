"""Abstract values: what the translation of a block knows of each slot, with its IR expression.

translate.py executes a block on a `BlockState`, instruction by instruction. flow.py merges the
`Shape`s (representations.py) with which control flow reaches a block.
"""

from __future__ import annotations

from functools import cache

from attrs import evolve, field, frozen

from porter.compiler.ir.expressions import Box, Expression, FrameSlot, GlobalCell, Variable
from porter.compiler.ir.operations import Store
from porter.compiler.representations import (
    BOOL,
    FLOAT,
    INT,
    NOWHERE,
    NUMBERS,
    OBJECT,
    SMALL,
    Known,
    Range,
    Shape,
    slot_name,
)

C_TYPES = {OBJECT: "mp_obj_t", INT: "int64_t", FLOAT: "double", BOOL: "bool"}


@frozen
class Value:
    """An abstract value in a slot.

    Attributes:
        kind: Representation: OBJECT, INT, FLOAT, BOOL, MEMORY or DEAD.
        expression: The value in the IR.
        clean: Whether the slot's memory (frame or dict) holds the value already.
        bound: Whether the value is known not to be an unbound variable.
        range: Range of an INT.
        origin: Deoptimization state of an INT that may exceed a small integer, else None.
        test: Operator and operands of a BOOL that is a comparison of integers, else None.
    """

    kind: str
    expression: Expression
    clean: bool = False
    bound: bool = True
    range: Range = SMALL
    origin: Origin | None = None
    test: tuple[str, Value, Value] | None = None

    def boxed(self) -> Expression:
        """Return the value as an object."""
        return Box(self.kind, self.expression) if self.kind in NUMBERS else self.expression

    def saved(self) -> Value:
        """Return the value as it is once its slot's memory holds it."""
        return self if self.clean else evolve(self, clean=True)

    def moved(self) -> Value:
        """Return the value as it is in another slot, whose memory does not hold it."""
        same = self.bound and not self.clean
        return self if same else evolve(self, clean=False, bound=True)

    def known(self) -> Known:
        """Return the value without its expression."""
        return Known(self.kind, self.clean, self.bound, self.range if self.kind == INT else SMALL)

    @property
    def dirty(self) -> bool:
        """Return whether the value must be stored before its slot's memory is read."""
        return not self.clean and self.kind not in NOWHERE


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
class BlockState:
    """The slots at one point of a block: a `Shape` with expressions, updated by the translation."""

    stack: list[Value] = field(factory=list)
    locals: list[Value] = field(factory=list)
    names: list[Value | None] = field(factory=list)
    views: list[bool] = field(factory=list)

    def shape(self) -> Shape:
        """Return the slots without their expressions."""
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
            if held is not None and held.kind == OBJECT and held.expression == value.expression:
                return at
        return None

    def held(self, at: int) -> Value | None:
        """Return the value of a variable or global by its index in `views`."""
        return [*self.locals, *self.names][at]

    def narrow(self, old: Value, new: Value) -> None:
        """Replace `old` by `new`, of which more is known, in each slot that holds it."""
        for slots in (self.stack, self.locals):
            for at, value in enumerate(slots):
                if value.kind == old.kind and value.expression == old.expression:
                    slots[at] = _as(value, new)
        for at, held in enumerate(self.names):
            if held is not None and held.kind == old.kind and held.expression == old.expression:
                self.names[at] = _as(held, new)

    def stack_stores(self, slots: range) -> tuple[Store, ...]:
        """Return the stores of some slots of the stack to the frame."""
        return tuple(
            Store(FrameSlot(at), value.boxed())
            for at, value in enumerate(self.stack)
            if at in slots and value.dirty
        )

    def stores(
        self, frame_size: int, *, frame: bool = True, variables: bool = False
    ) -> tuple[Store, ...]:
        """Return the stores that write values from C++ variables back to the frame and to dicts.

        Args:
            frame_size: Number of slots in the function's frame.
            frame: Whether to store the whole frame.
            variables: Whether to store local variables, even without `frame`.
        """
        stores = list(self.stack_stores(range(len(self.stack)))) if frame else []
        if frame or variables:
            stores += [
                Store(FrameSlot(frame_size - 1 - number), value.boxed())
                for number, value in enumerate(self.locals)
                if value.dirty
            ]
        for slot, held in enumerate(self.names):
            if held is not None and not held.clean:
                stores.append(Store(GlobalCell(slot), held.boxed()))
        return tuple(stores)


def _as(value: Value, new: Value) -> Value:
    return evolve(value, kind=new.kind, expression=new.expression, bound=True, range=new.range)


@cache
def slot_variable(prefix: str, number: int, kind: str) -> Variable:
    """Return the C++ variable that holds a slot between blocks; arguments as `slot_name`."""
    return Variable(slot_name(prefix, number, kind))


def state_of(shape: Shape) -> BlockState:
    """Return the slots where a block of that shape begins: each is in its C++ variable."""

    def held(prefix: str, number: int, known: Known) -> Value:
        name = slot_variable(prefix, number, known.kind)
        return Value(known.kind, name, known.clean, known.bound, known.range)

    return BlockState(
        [held("s", n, known) for n, known in enumerate(shape.stack)],
        [held("v", n, known) for n, known in enumerate(shape.locals)],
        [None if k is None else held("g", n, k) for n, k in enumerate(shape.names)],
        list(shape.views),
    )


def resumption(at: int, state: BlockState) -> tuple[int, BlockState]:
    """Return the position and the slots at which the interpreter resumes for a side exit at `at`.

    If the stack holds an integer that may exceed a small one, these are the integer's `Origin`.
    """
    for value in state.stack:
        if value.origin is not None:
            return resumption(value.origin.at, value.origin.state)
    return at, state
