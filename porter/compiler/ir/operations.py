"""Operations, blocks and functions of the IR.

A function has basic blocks. A block starts with its slots in C++ variables (`Block.shape`), assigns
temporaries, and ends in jumps or exits. The interpreter resumes at a *side exit*, which stores the
slots to the frame. A *guard* takes a side exit if a speculation fails.

`Operation.size` is the number of C++ lines that an operation becomes. Passes limit the size of the
loops that they copy by it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from attrs import evolve, field, frozen

from porter.compiler.ir.expressions import (
    Expression,
    FrameSlot,
    GlobalCell,
    Temporary,
    Variable,
)
from porter.compiler.representations import Known, Shape


@frozen
class Store:
    """A store of an object to a frame slot or to a global's dict."""

    place: FrameSlot | GlobalCell
    value: Expression


@frozen
class Speculation:
    """An assumption that a guard checks.

    Attributes:
        line: Line of Python source.
        what: Reason of a failure, such as "x is no float".
        place: Position in the code at which the instruction speculates, in bytes.
    """

    line: int
    what: str
    place: int


@frozen
class SideExit:
    """A point at which the interpreter resumes, and the state to restore there.

    Attributes:
        at: Position of the instruction with which the interpreter continues.
        depth: Depth of the stack.
        stores: Values that are not in memory yet.
        speculation: Assumption whose failure is counted; None if the exit is no failure.
    """

    at: int
    depth: int
    stores: tuple[Store, ...]
    speculation: Speculation | None = None


@frozen
class Operation:
    """The base class of all operations."""

    @property
    def size(self) -> int:
        """Number of C++ lines."""
        return 1

    @property
    def bodies(self) -> tuple[tuple[Operation, ...], ...]:
        """Operations inside this one."""
        return ()


@frozen
class Assign(Operation):
    """An assignment to a C++ variable."""

    target: Expression
    value: Expression


@frozen
class Evaluate(Operation):
    """A call of a C function that cannot raise, without a value."""

    value: Expression


@frozen
class StoreAll(Operation):
    """Stores of values to the frame and to dicts."""

    stores: tuple[Store, ...]


@frozen
class SetView(Operation):
    """The computation of a view: address, length and typecode of an object's elements."""

    view: int
    holder: Expression


@frozen
class CountBranch(Operation):
    """A decrement of the number of branches until the next interrupt poll."""


@frozen
class SafepointPoll(Operation):
    """A safepoint: an interrupt poll if one is due.

    Attributes:
        number: Unique number, like that of a temporary.
        at: Position of the branch.
        stores: Values to store before the poll, which may run any code.
        exit: Side exit for the case that native code must be left.
    """

    number: int
    at: int
    stores: tuple[Store, ...]
    exit: SideExit

    @property
    def size(self) -> int:
        return 2


@frozen
class SpeculationGuard(Operation):
    """A side exit if a speculation fails. fails: the condition of failure."""

    fails: Expression
    exit: SideExit


@frozen
class ExitIf(Operation):
    """A side exit for a condition in which the interpreter must run the instruction."""

    condition: Expression
    exit: SideExit


@frozen
class ExitAlways(Operation):
    """An unconditional side exit."""

    exit: SideExit


@frozen
class BlockJump(Operation):
    """An edge to a block.

    Attributes:
        to: Position of the block.
        slots: Names and representations of the C++ variables that the edge passes.
        strip: Label of the strip that has the block; "" outside of strips.
    """

    to: int
    slots: tuple[tuple[str, str], ...] = ()
    strip: str = ""


@frozen
class NextIteration(Operation):
    """The end of an iteration in a strip."""

    strip: str


@frozen
class Branch(Operation):
    """A conditional jump of Python: an edge that is taken if a truth value is `sense`."""

    condition: Expression
    sense: bool
    then: tuple[Operation, ...]

    @property
    def size(self) -> int:
        return 2 + size_of(self.then)

    @property
    def bodies(self) -> tuple[tuple[Operation, ...], ...]:
        return (self.then,)


@frozen
class If(Operation):
    """Operations that depend on a condition of the compiler's own."""

    condition: Expression
    then: tuple[Operation, ...]
    otherwise: tuple[Operation, ...] = ()

    @property
    def size(self) -> int:
        return 2 + size_of(self.then) + bool(self.otherwise) + size_of(self.otherwise)

    @property
    def bodies(self) -> tuple[tuple[Operation, ...], ...]:
        return (self.then, self.otherwise) if self.otherwise else (self.then,)


@frozen
class Invoke(Operation):
    """A call of a C function that may raise.

    Attributes:
        value: The call.
        target: Variable that it assigns, or None.
        at: Position of the instruction, for tracebacks.
        sp: Index of the frame slot to which the stack pointer is set before the call; None leaves
            it unchanged.
        raised: C++ variable of the frame in which an exception is raised.
    """

    value: Expression
    target: Expression | None
    at: int
    sp: int | None = None
    raised: str = "cs"


@frozen
class GlobalCheck:
    """A side exit if a call changed a global that C++ variables hold. same: it is unchanged."""

    same: Expression
    exits: tuple[tuple[Expression | None, SideExit], ...]


@frozen
class SlowPath:
    """The general way to run an instruction, behind an inlined fast path.

    Attributes:
        stores: Values to store before the call.
        call: The call, which may run any code.
        checks: Globals that must be unchanged after it.
        unboxed: Guard and assignment that unbox the value of the call; empty if it stays an object.
        views: Views to compute anew.
    """

    stores: tuple[Store, ...]
    call: Invoke
    checks: tuple[GlobalCheck, ...] = ()
    unboxed: tuple[Operation, ...] = ()
    views: tuple[SetView, ...] = ()


@frozen
class FastPath(Operation):
    """The test of an inlined fast path.

    Attributes:
        number: Unique number, like that of a temporary.
        fails: Condition under which the fast path does not apply.
        slow: The slow path; None if it is that of the operation of which this is a copy.
    """

    number: int
    fails: Expression
    slow: SlowPath | None

    @property
    def size(self) -> int:
        return 1 if self.slow is None else 2


@frozen
class NextItem(Operation):
    """The next item of an iterator in the frame.

    Attributes:
        found: Variable of the item.
        stores: Values to store before iterators of builtin types run.
        quick: Call that serves builtin types.
        slow: Call that serves all types, with its stores and checks.
    """

    found: Temporary
    stores: tuple[Store, ...]
    quick: Invoke
    slow: SlowPath

    @property
    def size(self) -> int:
        return 2


@frozen
class NextInteger(Operation):
    """The next item of an iterator that gives integers, usually a range.

    Attributes:
        iterator: Frame slot of the iterator.
        value: Variable of the unboxed item.
        general: The next item of an iterator that is no range.
        guard: Guard that this item is an integer.
    """

    iterator: FrameSlot
    value: Temporary
    general: NextItem
    guard: SpeculationGuard

    @property
    def size(self) -> int:
        return 7 + self.general.size


@frozen
class CallFrame(Operation):
    """A call of the object in a frame slot by native code (frames.py); the frame is complete.

    Attributes:
        at: Frame slot of the callee.
        after: Position of the next instruction.
        positional: Number of positional arguments.
        keywords: Number of keyword arguments.
        method: Whether the slot above the callee holds a first argument, or no value.
        length: Length of the instruction if the call is for all types of callees; else 0.
        result: Variable of the result.
        exit: Side exit for the case that the interpreter must make the call.
    """

    at: int
    after: int
    positional: int
    keywords: int
    method: bool
    length: int
    result: Temporary
    exit: SideExit

    @property
    def size(self) -> int:
        return 4


@frozen
class Return(Operation):
    """The return of a function; the frame slot of the value is on top of the stack."""

    at: int
    top: int


@frozen
class Strip:
    """Iterations of a loop without counter test and interrupt poll.

    Attributes:
        label: Label, unique in the function.
        near: Operand of the loop's test that is less while the loop runs.
        far: The other operand.
        inclusive: Whether the loop also runs while both are equal.
        step: Absolute increment of the counter in each iteration.
        branches: Maximum number of branches in one iteration.
        typecodes: Typecodes of views that the strip assumes, by view number.
        entering: The edge from the loop's test into the loop.
        blocks: The loop's blocks.
    """

    label: str
    near: Expression
    far: Expression
    inclusive: bool
    step: int
    branches: int
    typecodes: Mapping[int, str]
    entering: tuple[Operation, ...]
    blocks: tuple[IrBlock, ...]


@frozen
class IrBlock:
    """A basic block.

    Attributes:
        at: Position of its first instruction, in bytes from the function's first one.
        about: Line of Python source with its number, for comments.
        shape: The slots at its start.
        operations: Its operations.
        variables: C++ variables that it declares, with their types, in order.
        first: Least number of its temporaries.
        count: Numbers that its temporaries and operations use, from `first` on.
        strips: Strips that run before the block, which is then a loop's test. All but the last
            assume typecodes.
    """

    at: int
    about: str
    shape: Shape
    operations: tuple[Operation, ...]
    variables: tuple[tuple[Expression, str], ...] = ()
    first: int = 0
    count: int = 0
    strips: tuple[Strip, ...] = ()

    @property
    def successors(self) -> set[int]:
        """Positions of the blocks to which it jumps."""
        return {each.to for each in every(self.operations) if isinstance(each, BlockJump)}


@frozen
class Load:
    """A load of a slot at an entry, with the check of its type. source: the object in memory."""

    name: str
    known: Known
    source: Expression


@frozen
class EntryPoint:
    """A position at which the interpreter enters native code.

    Attributes:
        at: Position of the block.
        depth: Depth of the stack.
        addresses: C++ variables of globals, their lookups, and the value of a failed lookup.
        loads: Loads of the block's slots.
        views: Views to compute.
        variables: C++ variables that it declares, with their types, in order.
    """

    at: int
    depth: int
    addresses: tuple[tuple[Variable, Expression, Expression], ...]
    loads: tuple[Load, ...]
    views: tuple[SetView, ...]
    variables: tuple[tuple[Expression, str], ...]


@frozen
class Continuation:
    """An edge to a block in another C++ function: stores of the block's slots to the frame."""

    at: int
    shape: Shape
    stores: tuple[Store, ...]


@frozen
class Region:
    """A C++ function with some of a Python function's blocks.

    Control flow that leaves the blocks continues at an entry of another region.

    Attributes:
        name: Suffix of the C++ function's name.
        entries: Positions of the blocks at which it is entered.
        blocks: Its blocks by position.
    """

    name: str
    entries: tuple[int, ...]
    blocks: Mapping[int, IrBlock]

    @property
    def exits(self) -> list[int]:
        """Positions of the blocks of other regions at which control flow continues."""
        reached = {to for block in self.blocks.values() for to in block.successors}
        return sorted(reached - self.blocks.keys())


@frozen
class FunctionIR:
    """A Python function in the IR.

    Attributes:
        title: Name of the function, for comments and reports.
        start: Position of its first instruction in the code, in bytes.
        heads: Positions of loop heads.
        entries: How the interpreter enters blocks, by position; a region has some of the entries.
        continuations: Edges to blocks from another C++ function, by position.
        regions: The C++ functions that it becomes; one, until a pass splits it.
    """

    title: str
    start: int
    heads: frozenset[int]
    entries: Mapping[int, EntryPoint]
    continuations: Mapping[int, Continuation]
    regions: tuple[Region, ...] = field(factory=tuple)


def every(operations: Iterable[Operation]) -> Iterator[Operation]:
    """Yield operations, each followed by the operations inside it."""
    for each in operations:
        yield each
        for body in each.bodies:
            yield from every(body)


def size_of(operations: Iterable[Operation]) -> int:
    """Return the number of C++ lines of operations."""
    return sum(each.size for each in operations)


def rewritten(
    operations: Iterable[Operation], rewrite: Callable[[Operation], Operation | None]
) -> tuple[Operation, ...]:
    """Return operations of which each, innermost first, is replaced by `rewrite`.

    Args:
        operations: The operations.
        rewrite: Function that returns the replacement, or None to drop the operation.
    """
    out = []
    for each in operations:
        inner = each
        if isinstance(each, Branch):
            inner = evolve(each, then=rewritten(each.then, rewrite))
        elif isinstance(each, If):
            then, otherwise = (rewritten(body, rewrite) for body in (each.then, each.otherwise))
            inner = evolve(each, then=then, otherwise=otherwise)
        new = rewrite(inner)
        if new is not None:
            out.append(new)
    return tuple(out)
