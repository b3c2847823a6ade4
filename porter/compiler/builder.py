"""The context in which a block is translated: slots, IR operations emitted so far, and options.

Emitters (emitters/) are functions of a `BlockBuilder` and an instruction. They take values from
`state`, emit operations, and push values. This module has what they share: temporaries, side exits,
guards, and calls of C functions. A call that may run Python code may change globals, and the
containers that views point into. A call that may raise needs the instruction pointer, and the frame
if there are exception handlers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count

from attrs import evolve, field, frozen

from porter.compiler.graph import CodeBlock, Graph
from porter.compiler.ir.expressions import (
    FRAME_STATE,
    NULL,
    NULL_OBJECT,
    Compare,
    Expression,
    GlobalCell,
    HasType,
    HelperCall,
    Item,
    Literal,
    Not,
    Symbol,
    Temporary,
    Unbox,
    Variable,
    call,
)
from porter.compiler.ir.operations import (
    Assign,
    ExitAlways,
    ExitIf,
    FastPath,
    GlobalCheck,
    Invoke,
    Operation,
    SetView,
    SideExit,
    SlowPath,
    Speculation,
    SpeculationGuard,
    Store,
    StoreAll,
)
from porter.compiler.mpy import BytecodeInstruction, BytecodeModule
from porter.compiler.options import SEEN_BOOL, SEEN_FLOAT, SEEN_INT, CompilerOptions
from porter.compiler.representations import BOOL, FLOAT, INT, OBJECT, SMALL, Range, Shape
from porter.compiler.tables import Tables
from porter.compiler.unit import FunctionUnit
from porter.compiler.values import C_TYPES, BlockState, Value, resumption

_SEEN = {SEEN_INT: INT, SEEN_FLOAT: FLOAT, SEEN_BOOL: BOOL}
_DROPPED = SideExit(0, 0, ())  # the side exit of an operation that is dropped
NOT_A = {INT: "no small int", FLOAT: "no float", BOOL: "no bool"}


@frozen
class BlockContext:
    """The part of a builder that does not change while a block is translated.

    Attributes:
        unit: The function.
        block: The block.
        numbers: Numbers of the function's temporaries.
        on_edge: Function that is called for each edge, with the position of its target.
        analyzes: Whether only the slots at edges are wanted. Operations are then dropped, and side
            exits are not computed.
    """

    unit: FunctionUnit
    block: CodeBlock
    numbers: count[int]
    on_edge: Callable[[BlockBuilder, int], None] = field(repr=False)
    analyzes: bool = False


class BlockBuilder:
    """The IR of a block under construction.

    Attributes:
        context: The block, its function, and the treatment of edges.
        state: The slots before the current instruction, updated by emitters.
        here: The current instruction.
        operations: Operations emitted so far.
        variables: C++ variables declared so far, with their types.
        done: An instruction that was translated along with its predecessor, or None.
        ended: Whether the current instruction ended in a side exit.
        edges: The slots with which control flow reaches each successor, by position.
    """

    def __init__(self, context: BlockContext, state: BlockState) -> None:
        self.context = context
        self.state = state
        self.here = context.block.code[0]
        self.operations: list[Operation] = []
        self.variables: list[tuple[Expression, str]] = []
        self.done: BytecodeInstruction | None = None
        self.ended = False
        self.edges: dict[int, Shape] = {}

    @property
    def unit(self) -> FunctionUnit:
        """The function."""
        return self.context.unit

    @property
    def graph(self) -> Graph:
        """Blocks of the function."""
        return self.context.unit.graph

    @property
    def module(self) -> BytecodeModule:
        """The module."""
        return self.context.unit.module

    @property
    def tables(self) -> Tables:
        """Instructions of the release."""
        return self.context.unit.tables

    @property
    def options(self) -> CompilerOptions:
        """Options of the translation."""
        return self.context.unit.options

    @property
    def hot(self) -> bool:
        """Return whether the block is in a loop."""
        return self.context.block.at in self.graph.again

    # ---- operations and variables ----

    def emit(self, operation: Operation) -> None:
        """Append an operation."""
        if not self.context.analyzes:
            self.operations.append(operation)

    @contextmanager
    def nested(self) -> Iterator[list[Operation]]:
        """Collect the operations that are emitted in a `with` statement in a list of their own."""
        outer, self.operations = self.operations, []
        yield self.operations
        self.operations = outer

    def number(self) -> int:
        """Return a unique number for an operation."""
        return next(self.context.numbers)

    def temporary(self, type_: str, prefix: str = "t") -> Temporary:
        """Declare a temporary of a C type."""
        name = Temporary(self.number(), prefix)
        self.variables.append((name, type_))
        return name

    def array(self, length: int) -> Temporary:
        """Declare an array of objects."""
        name = Temporary(self.number(), "w")
        self.variables.append((Item(name, length), "mp_obj_t"))
        return name

    def assign(self, kind: str, expression: Expression, range_: Range = SMALL) -> Value:
        """Emit the assignment of an expression to a new temporary, and return the value."""
        name = self.temporary(C_TYPES[kind])
        self.emit(Assign(name, expression))
        return Value(kind, name, range=range_)

    def name(self, number: int) -> str:
        """Return the Python name of a number in the bytecode, for reports."""
        return self.module.names[number] or "a name"

    def push(self, value: Value) -> None:
        """Push a value that another slot, or no slot, holds."""
        self.state.stack.append(value.moved())

    # ---- stores and side exits ----

    def stores(self, *, frame: bool = True, variables: bool = False) -> tuple[Store, ...]:
        """Return the stores of the current slots; arguments as `BlockState.stores`."""
        if self.context.analyzes:
            return ()
        size = self.graph.function.state
        return self.state.stores(size, frame=frame, variables=variables)

    def store(self, stores: Sequence[Store]) -> None:
        """Emit stores, if there are any."""
        if stores:
            self.emit(StoreAll(tuple(stores)))

    def side_exit(
        self, at: int, state: BlockState | None = None, speculation: Speculation | None = None
    ) -> SideExit:
        """Return a side exit.

        Args:
            at: Position of the instruction with which the interpreter continues.
            state: The slots before that instruction; None for the current ones.
            speculation: Assumption whose failure is counted.
        """
        if self.context.analyzes:
            return _DROPPED
        at, state = resumption(at, self.state if state is None else state)
        stores = state.stores(self.graph.function.state)
        return SideExit(at, len(state.stack), stores, speculation)

    def exit(self, at: int) -> None:
        """Emit an unconditional side exit."""
        self.emit(ExitAlways(self.side_exit(at)))

    def exit_if(self, condition: Expression, at: int | None = None) -> None:
        """Emit a side exit for a condition in which the interpreter must run the instruction."""
        self.emit(ExitIf(condition, self.side_exit(self.here.at if at is None else at)))

    # ---- speculation ----

    def guard(self, fails: Expression, what: str, at: int | None = None) -> None:
        """Emit a guard.

        Args:
            fails: Condition under which the speculation fails.
            what: Reason of the failure, such as "x is no float".
            at: Position at which the interpreter resumes; None for the current instruction.
        """
        where = self.here.at if at is None else at
        self.emit(self.guard_at(fails, what, where, self.state))

    def guard_at(
        self, fails: Expression, what: str, at: int, state: BlockState
    ) -> SpeculationGuard:
        """Return a guard; `state` has the slots where the interpreter resumes."""
        if self.context.analyzes:
            return SpeculationGuard(fails, _DROPPED)
        function = self.graph.function
        line = function.lines.get(self.here.at, 0)
        where = self.here.at if at == self.here.next else resumption(at, state)[0]
        speculation = Speculation(line, what, function.start + where)
        return SpeculationGuard(fails, self.side_exit(at, state, speculation))

    def may_speculate(self) -> bool:
        """Return whether the current instruction may speculate."""
        return self.graph.function.start + self.here.at not in self.options.without

    def seen(self, at: int) -> str | None:
        """Return the representation that type feedback has for the top of the stack before `at`.

        The result is None without feedback there, and for objects or several types.
        """
        place = self.graph.function.start + at
        hints = self.options.hints
        return _SEEN.get(hints[place]) if place < len(hints) else None

    def require(self, value: Value, kind: str, what: str, at: int | None = None) -> Value:
        """Emit a guard that an object is of a type, and unbox it in each slot that holds it."""
        self.guard(Not(HasType(kind, value.expression)), f"{what} is {NOT_A[kind]}", at)
        new = self.assign(kind, Unbox(kind, value.expression))
        self.state.narrow(value, new)
        return evolve(new, clean=value.clean)

    def speculate_on_top(self, what: str) -> None:
        """Speculate that the result on top of the stack is of the type in the type feedback."""
        value = self.state.stack[-1]
        kind = self.seen(self.here.next)
        if kind is not None and value.kind == OBJECT and self.may_speculate():
            self.require(value, kind, what, self.here.next)

    # ---- control flow ----

    def leads(self, to: int) -> bool:
        """Return whether native code continues at `to`: a block of the current stack depth."""
        block = self.graph.blocks.get(to)
        return block is not None and block.depth == len(self.state.stack)

    def edge(self, to: int) -> None:
        """Emit an edge to the block at `to`."""
        self.context.on_edge(self, to)

    # ---- calls ----

    def invoke(
        self, value: HelperCall, target: Expression | None = None, *, plain: bool = False
    ) -> None:
        """Emit a call that may raise.

        Args:
            value: The call.
            target: Variable that it assigns.
            plain: Whether the call runs no Python code. Otherwise all globals are unknown after it.
        """
        protected = self.graph.protected  # a handler reads the frame
        # The collector reads the frame as well: a stale value there would keep an object alive.
        self.store(self.stores(frame=protected, variables=not plain))
        self.mark_saved(protected, variables=not plain)
        self.emit(self.invocation(value, target))
        if not plain:
            self.forget()

    def invoked(self, value: HelperCall, *, plain: bool = False) -> Value:
        """Emit a call like `invoke`, and return its object in a new temporary."""
        name = self.temporary(C_TYPES[OBJECT])
        self.invoke(value, name, plain=plain)
        return Value(OBJECT, name)

    def invocation(
        self,
        value: HelperCall,
        target: Expression | None = None,
        sp: int | None = None,
        raised: str = "cs",
    ) -> Invoke:
        """Return a call at the current instruction; arguments as `Invoke`."""
        return Invoke(value, target, self.here.at, sp, raised)

    def flush(self, first: int) -> None:
        """Store the stack's slots from `first` on to the frame."""
        slots = range(first, len(self.state.stack))
        self.store(self.state.stack_stores(slots))
        for at in slots:
            self.state.stack[at] = self.state.stack[at].saved()

    def mark_saved(self, frame: bool, *, variables: bool) -> None:
        """Note that globals were stored, and with `frame` or `variables` these slots as well."""
        state = self.state
        state.names[:] = [value and value.saved() for value in state.names]
        if frame:
            state.stack[:] = [value.saved() for value in state.stack]
        if frame or variables:
            state.locals[:] = [value.saved() for value in state.locals]

    def forget(self) -> None:
        """Drop all assumptions on globals and views, after code that may have changed them."""
        self.state.names[:] = [None] * len(self.state.names)
        self.state.views[:] = [False] * len(self.state.views)

    def fast_path(
        self,
        fails: Expression,
        slow: HelperCall,
        popped: int,
        pushed: Sequence[Value] = (),
        *,
        target: Expression | None = None,
        unboxed: Temporary | None = None,
        raised: str = "cs",
    ) -> None:
        """Emit the test of an inlined fast path, with its slow path.

        The slow path runs the instruction by a call of any code. A side exit follows it if a global
        has changed.

        Args:
            fails: Condition under which the fast path does not apply.
            slow: The call on the slow path.
            popped: Number of values that the instruction pops.
            pushed: Values that it pushes.
            target: Variable that the call assigns.
            unboxed: Variable of the object that the slow path returns, if the value pushed is its
                unboxed number.
            raised: C++ variable of the frame that raised an exception.
        """
        number = self.number()
        stores = self.stores(frame=self.graph.protected)
        del self.state.stack[len(self.state.stack) - popped :]
        self.state.stack.extend(pushed)
        changed = self.state.copy()
        changed.names[:] = [None] * len(changed.names)
        if unboxed is not None:
            changed.stack[-1] = Value(OBJECT, unboxed)
        after = self.side_exit(self.here.next, changed)
        unboxing: list[Operation] = []
        if unboxed is not None:
            kind = pushed[-1].kind
            what = f"an element is {NOT_A[kind]}"
            fails_too = Not(HasType(kind, unboxed))
            unboxing.append(self.guard_at(fails_too, what, self.here.next, changed))
            unboxing.append(Assign(pushed[-1].expression, Unbox(kind, unboxed)))
        path = SlowPath(
            stores,
            self.invocation(slow, target, raised=raised),
            self.global_checks([(None, after)]),
            tuple(unboxing),
            self.set_views(),
        )
        self.emit(FastPath(number, fails, path))

    def global_checks(
        self, exits: Sequence[tuple[Expression | None, SideExit]]
    ) -> tuple[GlobalCheck, ...]:
        """Return checks that all globals in C++ variables are unchanged; exits as `GlobalCheck`."""
        if self.context.analyzes:
            return ()
        held = [(slot, value) for slot, value in enumerate(self.state.names) if value is not None]
        return tuple(GlobalCheck(self._same(slot, value), tuple(exits)) for slot, value in held)

    def _same(self, slot: int, value: Value) -> Expression:
        number = self.graph.names[slot]
        found = self.lookup(number)
        if number in self.graph.stored:
            return call("tier_same", found, Variable(f"p{slot}"), value.boxed())
        return Compare("EQUAL", found, value.boxed())

    # ---- globals ----

    def lookup(self, number: int) -> HelperCall:
        """Return a global's address if the function stores it, else its value."""
        local = Symbol("true" if number in self.graph.local else "false")
        finds = "tier_find" if number in self.graph.stored else "tier_load"
        return call(finds, FRAME_STATE, Literal(number), local)

    def load_global(self, slot: int, at: int | None = None) -> Value:
        """Emit the load of a global, with a side exit at `at` for an unbound name."""
        number = self.graph.names[slot]
        if number in self.graph.stored:
            self.load_address(slot, at)
            return self.assign(OBJECT, GlobalCell(slot))
        value = self.assign(OBJECT, self.lookup(number))
        self.exit_if(Compare("EQUAL", value.expression, NULL_OBJECT), at)
        return value

    def load_address(self, slot: int, at: int | None = None) -> None:
        """Emit the load of a global's address in its dict into a C++ variable."""
        name = Variable(f"p{slot}")
        self.variables.append((name, "mp_obj_t *"))
        self.emit(Assign(name, self.lookup(self.graph.names[slot])))
        self.exit_if(Compare("EQUAL", name, NULL), at)

    # ---- views ----

    def view(self, at: int) -> None:
        """Emit a view unless it is valid.

        Args:
            at: Index in `BlockState.views` of the variable or global that holds the container.
        """
        if not self.state.views[at]:
            self.emit(self.set_view(at))
            self.state.views[at] = True

    def set_view(self, at: int, state: BlockState | None = None) -> SetView:
        """Return the computation of a view, of a slot in `state` or the current ones."""
        holder = (self.state if state is None else state).held(at)
        assert holder is not None
        self.variables += view_variables(at)
        return SetView(at, holder.expression)

    def set_views(self) -> tuple[SetView, ...]:
        """Return the computations of all valid views."""
        if self.context.analyzes:
            return ()
        return tuple(self.set_view(at) for at, known in enumerate(self.state.views) if known)


def view_variables(view: int) -> list[tuple[Expression, str]]:
    """Return the C++ variables of a view: address, length and typecode of its elements."""
    types = {"": "const void *", "n": "uint64_t", "c": "uint32_t"}
    return [(Variable(f"e{view}{suffix}"), type_) for suffix, type_ in types.items()]
