"""What each instruction's C++ is made of: variables, ways out to the interpreter, guesses."""

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
    """A line to which cold code comes back. A copy of the block has none."""


class Look(str):
    """A line that asks whether branches are left."""


class Branch(str):
    """A line that takes one of the branches that are left."""


TAKES = Branch("left--;")


@frozen
class CounterTest:
    """A comparison at the end of a block: of a variable of C++ with what does not change there.

    into: where it leads if it holds. text: the whole of it.
    """

    op: str
    counter: str
    bound: str
    into: int
    text: str


@frozen
class WholeFunction:
    """What all blocks of one function have in common. title: the function's name."""

    graph: Graph
    module: BytecodeModule
    tables: Tables
    options: CompilerOptions
    title: str


@define
class Sink:
    """What blocks write besides their own lines. guards: of the whole module. cold: what runs
    seldom, behind the function's blocks. returns: whether a block ends the function."""

    guards: list[GuardPlace] = field(factory=list)
    variables: dict[str, str] = field(factory=dict)  # types by name
    ways_out: dict[str, str] = field(factory=dict)  # labels by text
    cold: list[str] = field(factory=list)
    numbers: count[int] = field(factory=count)
    returns: bool = False

    def guard(self, function: str, line: int, what: str, place: int) -> int:
        """The number of a guard: the same in each part of a function."""
        for known in self.guards:
            if known[1:] == (function, line, what, place):
                return known.number
        self.guards.append(GuardPlace(len(self.guards), function, line, what, place))
        return len(self.guards) - 1


class Emitter:
    """The state while a block is walked, and the text."""

    def __init__(self, unit: WholeFunction, sink: Sink) -> None:
        self.unit, self.sink = unit, sink
        self.graph, self.module, self.tables = unit.graph, unit.module, unit.tables
        self.lines: list[str] = []
        self.state = BlockState()
        self.here = unit.graph.function.code[0]
        self.done: BytecodeInstruction | None = None  # along with the one before it
        self.ended = False  # the instruction handed over
        self.edges: dict[int, Shape] = {}
        self.block = next(iter(unit.graph.blocks.values()))
        self.hot = False  # whether the block is in a loop
        self.tested: CounterTest | None = None  # at the block's end
        self.on_edge: Callable[[int], None] = lambda to: None

    # ---- text ----

    def say(self, text: str) -> None:
        """A line of C++."""
        self.lines.append(text)

    def variable(self, type_: str, prefix: str = "t") -> str:
        """A new variable's name."""
        name = f"{prefix}{next(self.sink.numbers)}"
        self.sink.variables[name] = type_
        return name

    def new(self, kind: str, expression: str, range_: Range = SMALL) -> Value:
        """A value in a variable of its own."""
        name = self.variable(TYPES[kind])
        self.say(f"{name} = {expression};")
        return Value(kind, name, range=range_)

    def array(self, length: int) -> str:
        """A new array of objects' name."""
        name = f"w{next(self.sink.numbers)}"
        self.sink.variables[f"{name}[{length}]"] = "mp_obj_t"
        return name

    def name(self, number: int) -> str:
        """The name that the code gives a number, for people."""
        return self.module.names[number] or "a name"

    # ---- ways out ----

    def stores(
        self,
        state: BlockState,
        *,
        frame: bool = True,
        only: range | None = None,
        variables: bool = False,
    ) -> str:
        """Stores that make the dict and, with `frame`, the frame hold what variables of C++ hold.
        only: these slots of the stack alone. variables: without frame, of it what Python's
        variables hold."""
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
        """A jump that hands over to the interpreter at `at`."""
        at, state = begun(at, self.state if state is None else state)
        text = (
            f"{guard}{self.stores(state)} at = {at}; top = {len(state.stack) - 1}; goto out;"
        ).lstrip()
        label = self.sink.ways_out.setdefault(text, f"X{len(self.sink.ways_out)}")
        return f"goto {label};"

    def leave_if(
        self, condition: str, at: int | None = None, state: BlockState | None = None
    ) -> None:
        """Hands over where the interpreter must run the instruction."""
        where = self.here.at if at is None else at
        self.say(f"if (TIER_UNLIKELY({condition})) {{ {self.way_out(where, state)} }}")

    def guard(self, condition: str, what: str, at: int | None = None) -> None:
        """Hands over where a guess does not hold, and counts it. `condition`: it does not."""
        self.say(self.guarded(condition, what, self.here.at if at is None else at, self.state))

    def guarded(self, condition: str, what: str, at: int, state: BlockState) -> str:
        """The same as text. at, state: where the interpreter goes on."""
        function = self.graph.function
        line = function.lines.get(self.here.at, 0)
        place = function.start + (self.here.at if at == self.here.next else begun(at, state)[0])
        number = self.sink.guard(self.unit.title, line, what, place)
        if self.unit.options.force is not None:
            condition = f"TIER_FORCED || ({condition})"
        out = self.way_out(at, state, f"tier_count(native, {number}); ")
        return f"if (TIER_UNLIKELY({condition})) {{ {out} }}"

    def may_guess(self, at: int | None = None) -> bool:
        """Whether guesses are allowed at an instruction."""
        where = self.here.at if at is None else at
        return self.graph.function.start + where not in self.unit.options.without

    # ---- guesses ----

    def seen(self, at: int) -> str | None:
        """The one kind of number that was on top of the stack before the instruction at `at`."""
        place = self.graph.function.start + at
        hints = self.unit.options.hints
        return _SEEN.get(hints[place]) if place < len(hints) else None

    def require(self, value: Value, kind: str, what: str, at: int | None = None) -> Value:
        """The object as a number of that kind, wherever it is."""
        test, take = UNBOX[kind]
        self.guard(f"!{test}({value.text})", f"{what} is {A[kind]}", at)
        new = self.new(kind, f"{take}({value.text})")
        self.state.narrow(value, new)
        return evolve(new, clean=value.clean)

    def guess_top(self, what: str) -> None:
        """The instruction's result is on top: of the kind that an interpreter saw there."""
        value = self.state.stack[-1]
        kind = self.seen(self.here.next)
        if kind is not None and value.kind == OBJECT and self.may_guess():
            self.require(value, kind, what, self.here.next)


def begun(at: int, state: BlockState) -> tuple[int, BlockState]:
    """Where the interpreter goes on, and with which frame: where it would have had to begin already
    if the stack holds an integer that may be no small one."""
    for value in state.stack:
        if value.origin is not None:
            return begun(value.origin.at, value.origin.state)
    return at, state
