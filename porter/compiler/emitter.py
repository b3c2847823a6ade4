"""Building blocks for the C++ of an instruction: variables, side exits and guards.

A *side exit* stores all slots to the frame, and resumes the interpreter at an instruction. A
*guard* checks a speculation. If the check fails, the guard counts the failure and takes a side
exit. `Emitter` is the base of the mix-ins of `Walker`.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from attrs import define, evolve, field, frozen

from porter.compiler.graph import Graph
from porter.compiler.mpy import BytecodeInstruction, BytecodeModule
from porter.compiler.options import (
    SEEN_BOOL,
    SEEN_FLOAT,
    SEEN_INT,
    CompilerOptions,
    GuardPlace,
)
from porter.compiler.tables import Tables
from porter.compiler.values import (
    BOOL,
    FLOAT,
    INT,
    NOWHERE,
    OBJECT,
    SMALL,
    TYPES,
    UNBOX,
    A,
    BlockState,
    Range,
    Shape,
    Value,
)

_SEEN = {SEEN_INT: INT, SEEN_FLOAT: FLOAT, SEEN_BOOL: BOOL}


class Label(str):
    """A label to which cold code jumps back. A copy of the block has no such label."""


class Look(str):
    """A line that tests whether an interrupt poll is due."""


class Branch(str):
    """A line that decrements the number of branches until the next interrupt poll."""


TAKES = Branch("left--;")


@frozen
class CounterTest:
    """A comparison of a loop counter that ends a block.

    Attributes:
        op: Operator, a key of `arithmetic.COMPARISONS`.
        counter: C++ variable of the counter.
        bound: C++ expression of the bound, which does not change in the block.
        into: Position of the block that follows if the comparison holds.
        text: C++ condition.
    """

    op: str
    counter: str
    bound: str
    into: int
    text: str


@frozen
class WholeFunction:
    """A function to translate: the context of all its blocks.

    Attributes:
        graph: Blocks of the function.
        module: The module that has the function.
        tables: Instructions of the release.
        options: Options of the translation.
        title: Name of the function, for comments and reports.
    """

    graph: Graph
    module: BytecodeModule
    tables: Tables
    options: CompilerOptions
    title: str


@define
class Sink:
    """C++ that the blocks of a function share.

    Attributes:
        guards: Guards of the whole module.
        variables: Types of C++ variables by name.
        ways_out: Labels of side exits by their C++, so that equal exits share one label.
        cold: C++ of rarely executed paths, which stands behind the blocks.
        numbers: Numbers for unique names.
        returns: Whether a block returns from the function.
    """

    guards: list[GuardPlace] = field(factory=list)
    variables: dict[str, str] = field(factory=dict)
    ways_out: dict[str, str] = field(factory=dict)
    cold: list[str] = field(factory=list)
    numbers: count[int] = field(factory=count)
    returns: bool = False

    def guard(self, function: str, line: int, what: str, place: int) -> int:
        """Add a guard unless another part of the function has it, and return its number."""
        for known in self.guards:
            if known[1:] == (function, line, what, place):
                return known.number
        self.guards.append(GuardPlace(len(self.guards), function, line, what, place))
        return len(self.guards) - 1


class Emitter:
    """The state of the walk of a block, and the C++ emitted so far."""

    def __init__(self, unit: WholeFunction, sink: Sink) -> None:
        self.unit, self.sink = unit, sink
        self.graph, self.module, self.tables = unit.graph, unit.module, unit.tables
        self.lines: list[str] = []
        self.state = BlockState()
        self.here = unit.graph.function.code[0]
        self.done: BytecodeInstruction | None = None  # emitted along with its predecessor
        self.ended = False  # whether the instruction ended in a side exit
        self.edges: dict[int, Shape] = {}
        self.block = next(iter(unit.graph.blocks.values()))
        self.hot = False  # whether the block is in a loop
        self.tested: CounterTest | None = None  # the comparison that ends the block
        self.on_edge: Callable[[int], None] = lambda to: None

    # ---- C++ ----

    def say(self, text: str) -> None:
        """Emit a line of C++."""
        self.lines.append(text)

    def variable(self, type_: str, prefix: str = "t") -> str:
        """Declare a C++ variable, and return its name."""
        name = f"{prefix}{next(self.sink.numbers)}"
        self.sink.variables[name] = type_
        return name

    def new(self, kind: str, expression: str, range_: Range = SMALL) -> Value:
        """Emit the assignment of an expression to a new C++ variable, and return the value."""
        name = self.variable(TYPES[kind])
        self.say(f"{name} = {expression};")
        return Value(kind, name, range=range_)

    def array(self, length: int) -> str:
        """Declare a C++ array of objects, and return its name."""
        name = f"w{next(self.sink.numbers)}"
        self.sink.variables[f"{name}[{length}]"] = "mp_obj_t"
        return name

    def name(self, number: int) -> str:
        """Return the Python name of a number in the bytecode, for reports."""
        return self.module.names[number] or "a name"

    # ---- side exits ----

    def stores(
        self,
        state: BlockState,
        *,
        frame: bool = True,
        only: range | None = None,
        variables: bool = False,
    ) -> str:
        """Return the stores that write values from C++ variables back to dicts and the frame.

        Values that are clean need no store.

        Args:
            state: The slots.
            frame: Whether to store the whole frame.
            only: If given, store these slots of the stack, and nothing else.
            variables: Whether to store local variables, even without `frame`.
        """
        parts = []
        if frame or only is not None:
            for at, value in enumerate(state.stack):
                if not value.clean and value.kind not in NOWHERE and (only is None or at in only):
                    parts.append(f"frame[{at}] = {value.boxed()};")
        if only is not None:
            return " ".join(parts)
        if frame or variables:
            last = self.graph.function.state - 1
            for number, value in enumerate(state.locals):
                if not value.clean and value.kind not in NOWHERE:
                    parts.append(f"frame[{last - number}] = {value.boxed()};")
        for slot, held in enumerate(state.names):
            if held is not None and not held.clean:
                parts.append(f"*p{slot} = {held.boxed()};")
        return " ".join(parts)

    def way_out(self, at: int, state: BlockState | None = None, guard: str = "") -> str:
        """Return a jump to a side exit at which the interpreter resumes at `at`.

        Args:
            at: Position of the instruction.
            state: The slots before that instruction; None for the current ones.
            guard: C++ that runs before the exit, for a guard.
        """
        at, state = begun(at, self.state if state is None else state)
        text = (
            f"{guard}{self.stores(state)} at = {at}; top = {len(state.stack) - 1}; goto out;"
        ).lstrip()
        label = self.sink.ways_out.setdefault(text, f"X{len(self.sink.ways_out)}")
        return f"goto {label};"

    def leave_if(
        self, condition: str, at: int | None = None, state: BlockState | None = None
    ) -> None:
        """Emit a side exit for a condition in which the interpreter must run the instruction."""
        where = self.here.at if at is None else at
        self.say(f"if (TIER_UNLIKELY({condition})) {{ {self.way_out(where, state)} }}")

    def guard(self, condition: str, what: str, at: int | None = None) -> None:
        """Emit a guard.

        Args:
            condition: C++ condition under which the speculation fails.
            what: Reason of the failure, such as "x is no float".
            at: Position at which the interpreter resumes; None for the current instruction.
        """
        self.say(self.guarded(condition, what, self.here.at if at is None else at, self.state))

    def guarded(self, condition: str, what: str, at: int, state: BlockState) -> str:
        """Return the C++ of a guard; `state` has the slots where the interpreter resumes."""
        function = self.graph.function
        line = function.lines.get(self.here.at, 0)
        place = function.start + (self.here.at if at == self.here.next else begun(at, state)[0])
        number = self.sink.guard(self.unit.title, line, what, place)
        if self.unit.options.force is not None:
            condition = f"TIER_FORCED || ({condition})"
        out = self.way_out(at, state, f"tier_count(native, {number}); ")
        return f"if (TIER_UNLIKELY({condition})) {{ {out} }}"

    def may_guess(self, at: int | None = None) -> bool:
        """Return whether an instruction may speculate."""
        where = self.here.at if at is None else at
        return self.graph.function.start + where not in self.unit.options.without

    # ---- speculation ----

    def seen(self, at: int) -> str | None:
        """Return the kind that type feedback has for the top of the stack before `at`.

        The result is None if the feedback has objects, several kinds or no kind there.
        """
        place = self.graph.function.start + at
        hints = self.unit.options.hints
        return _SEEN.get(hints[place]) if place < len(hints) else None

    def require(self, value: Value, kind: str, what: str, at: int | None = None) -> Value:
        """Emit a guard that an object is of a kind, and unbox it in each slot that holds it."""
        test, take = UNBOX[kind]
        self.guard(f"!{test}({value.text})", f"{what} is {A[kind]}", at)
        new = self.new(kind, f"{take}({value.text})")
        self.state.narrow(value, new)
        return evolve(new, clean=value.clean)

    def guess_top(self, what: str) -> None:
        """Speculate that the result on top of the stack is of the kind in the type feedback."""
        value = self.state.stack[-1]
        kind = self.seen(self.here.next)
        if kind is not None and value.kind == OBJECT and self.may_guess():
            self.require(value, kind, what, self.here.next)


def begun(at: int, state: BlockState) -> tuple[int, BlockState]:
    """Return the position and the slots at which the interpreter resumes for a side exit at `at`.

    If the stack holds an integer that may exceed a small one, these are the integer's `Origin`.
    """
    for value in state.stack:
        if value.origin is not None:
            return begun(value.origin.at, value.origin.state)
    return at, state
