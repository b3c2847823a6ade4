"""Build control flow edges and entries: load each slot into the C++ variable that a block expects.

construction.py calls `add_edge` at the end of each block, and `entry_of` for each entry from the
interpreter.
"""

from __future__ import annotations

from attrs import frozen

from porter.compiler.builder import NOT_A, BlockBuilder, view_variables
from porter.compiler.ir.expressions import (
    NONE,
    NULL,
    NULL_OBJECT,
    Expression,
    FrameSlot,
    GlobalCell,
    HasType,
    Not,
    Unbox,
    Variable,
    parts,
)
from porter.compiler.ir.operations import (
    Assign,
    BlockJump,
    EntryPoint,
    Load,
    SetView,
    Store,
    StoreAll,
)
from porter.compiler.representations import (
    DEAD,
    NOWHERE,
    NUMBERS,
    OBJECT,
    Shape,
    slot_name,
)
from porter.compiler.unit import FunctionUnit
from porter.compiler.values import Value, slot_variable, state_of


@frozen
class _Move:
    """An assignment of a value to a C++ variable.

    Attributes:
        target: The C++ variable.
        kind: Representation of the C++ variable.
        value: The value assigned.
        what: Description of the slot, for the reason of a guard.
    """

    target: Variable
    kind: str
    value: Value
    what: str

    @property
    def source(self) -> Expression:
        """The value in the representation of the variable."""
        if self.kind == self.value.kind:
            return self.value.expression
        if self.kind == OBJECT:
            return self.value.boxed()
        return Unbox(self.kind, self.value.expression)


def add_edge(b: BlockBuilder, to: int, shape: Shape | None) -> None:
    """Emit the edge from the current position to the block at `to`.

    Args:
        b: Builder at the end of the source block.
        to: Position of the target block.
        shape: The frame that the target block expects; None emits a side exit to the interpreter.
    """
    if shape is None or not b.leads(to):
        b.exit(to)
        return
    moves = _moves(b, to, shape)
    for move in moves:
        if move.kind in NUMBERS and move.value.kind == OBJECT:
            fails = Not(HasType(move.kind, move.value.expression))
            b.guard(fails, f"{move.what} is {NOT_A[move.kind]}", to)
    for slot, (held, known) in enumerate(zip(b.state.names, shape.names, strict=True)):
        if known is None and held is not None and not held.clean:
            b.store([Store(GlobalCell(slot), held.boxed())])
    _clear_dead(b, shape)
    _assign(b, moves)
    there = state_of(shape)
    for at, wanted in enumerate(shape.views):
        if wanted and not b.state.views[at]:
            b.emit(b.set_view(at, there))
    b.emit(BlockJump(to, tuple((move.target.name, move.kind) for move in moves)))


def _clear_dead(b: BlockBuilder, shape: Shape) -> None:
    """Overwrite dead variables in the frame, which would keep their previous objects alive.

    A number in a loop is not stored, since a store in each iteration would cost too much.
    """
    last = b.graph.function.state - 1
    for number, (value, known) in enumerate(zip(b.state.locals, shape.locals, strict=True)):
        if known.kind == DEAD and value.dirty and (value.kind == OBJECT or not b.hot):
            word = value.expression if value.kind == OBJECT else NONE
            b.emit(StoreAll((Store(FrameSlot(last - number), word),)))


def _moves(b: BlockBuilder, to: int, shape: Shape) -> list[_Move]:
    found = []
    for prefix, values, known in (
        ("s", b.state.stack, shape.stack),
        ("v", b.state.locals, shape.locals),
    ):
        for number, (value, wanted) in enumerate(zip(values, known, strict=True)):
            if wanted.kind not in NOWHERE:
                target = slot_variable(prefix, number, wanted.kind)
                found.append(_Move(target, wanted.kind, value, "a variable"))
    for slot, wanted_name in enumerate(shape.names):
        if wanted_name is None:
            continue
        held = b.state.names[slot]
        if held is None:
            held = b.load_global(slot, to)
        target = slot_variable("g", slot, wanted_name.kind)
        found.append(_Move(target, wanted_name.kind, held, b.name(b.graph.names[slot])))
    return found


def _assign(b: BlockBuilder, moves: list[_Move]) -> None:
    """Emit the moves as a parallel assignment: the target of one may be the source of another."""
    needed = [move for move in moves if move.source != move.target]
    targets = {move.target for move in needed}
    later = []
    for move in needed:
        source = move.source
        if targets.intersection(each for each in parts(source) if isinstance(each, Variable)):
            source = b.assign(move.kind, source).expression
        later.append(Assign(move.target, source))
    for each in later:
        b.emit(each)


def entry_of(unit: FunctionUnit, b: BlockBuilder, at: int, shape: Shape) -> EntryPoint:
    """Return the entry at a block.

    Args:
        unit: The function.
        b: A builder of the function.
        at: Position of the block.
        shape: The slots that the block expects.
    """
    graph = unit.graph
    last = graph.function.state - 1
    loads = [
        Load(slot_name("s", number, known.kind), known, FrameSlot(number))
        for number, known in enumerate(shape.stack)
    ]
    loads += [
        Load(slot_name("v", number, known.kind), known, FrameSlot(last - number))
        for number, known in enumerate(shape.locals)
    ]
    variables: list[tuple[Expression, str]] = []
    state = state_of(shape)
    views = []
    for view, wanted in enumerate(shape.views):
        holder = state.held(view)
        if wanted and holder is not None:
            variables += view_variables(view)
            views.append(SetView(view, holder.expression))
    addresses = []
    for slot, name in enumerate(shape.names):
        if name is None:
            continue
        number = graph.names[slot]
        stored = number in graph.stored
        found = Variable(f"{'p' if stored else 'q'}{slot}")
        variables.append((found, "mp_obj_t *" if stored else "mp_obj_t"))
        addresses.append((found, b.lookup(number), NULL if stored else NULL_OBJECT))
        source = GlobalCell(slot) if stored else found
        loads.append(Load(slot_name("g", slot, name.kind), name, source))
    kept = tuple(load for load in loads if load.known.kind not in NOWHERE)
    depth = len(shape.stack)
    return EntryPoint(at, depth, tuple(addresses), kept, tuple(views), tuple(variables))
