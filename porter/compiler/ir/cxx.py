"""Print the IR of a function as C++, for the host and for kernels.

Both targets get the same kind of C++, over the functions in the prelude of a build
(templates/port/native_prelude.c). The IR has all differences: kernels have calls with one path for
all callees, and functions that a pass has split into regions. porter/compiler/cxx.py joins the
functions of a module, and adds the dispatcher by entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import define, field, frozen

from porter.compiler.ir import expressions as ex
from porter.compiler.ir import operations as op
from porter.compiler.options import GuardPlace
from porter.compiler.representations import BOOL, FLOAT, INT, OBJECT, SMALL

C_TYPES = {OBJECT: "mp_obj_t", INT: "int64_t", FLOAT: "double", BOOL: "bool"}
PARAMETERS = "mp_code_state_t *const cs, unsigned int entry, const gpusnek_native_t *const native"
_LEAVE = "tier_give_polls(left); cs->ip = code + at; cs->sp = frame + top;"


@define
class GuardTable:
    """The guards of a module, numbered in the order of their first appearance."""

    guards: list[GuardPlace] = field(factory=list)
    _numbers: dict[tuple[str, op.Speculation], int] = field(factory=dict)

    def number(self, function: str, speculation: op.Speculation) -> int:
        """Return the number of a guard; equal guards of a function share one."""
        key = (function, speculation)
        if key not in self._numbers:
            self._numbers[key] = len(self.guards)
            line, what, place = speculation.line, speculation.what, speculation.place
            self.guards.append(GuardPlace(len(self.guards), function, line, what, place))
        return self._numbers[key]


@frozen
class PrintedFunction:
    """The C++ of a Python function.

    Attributes:
        text: The C++ functions of all regions, and of a dispatcher by entry if there are several.
        declarations: Declarations of the C++ functions of all regions.
        numbered: Numbers of entries by position.
        start: Name of the C++ function that is entered at the Python function's start, or "".
    """

    text: str
    declarations: tuple[str, ...]
    numbered: Mapping[int, int]
    start: str


def print_function(
    function: op.FunctionIR, number: int, first: int, guards: GuardTable, *, forced: bool = False
) -> PrintedFunction:
    """Return the C++ of a function.

    Args:
        function: The function.
        number: Number of the function in its module.
        first: Number of its first entry.
        guards: Guards of the module; the function's are added.
        forced: Whether guards test TIER_FORCED, which makes them fail for tests.
    """
    entered = sorted({at for region in function.regions for at in region.entries})
    numbered = {at: first + k for k, at in enumerate(entered)}
    names = [f"f{number}{region.name}" for region in function.regions]
    texts = [
        _RegionPrinter(function, region, name, numbered, guards, forced).text()
        for region, name in zip(function.regions, names, strict=True)
    ]
    if len(names) > 1:
        texts.append(_dispatcher(function, number, names, numbered))
    starts = [n for n, region in zip(names, function.regions, strict=True) if 0 in region.entries]
    declarations = [
        f"static TIER_FUNCTION PORTER_DEVICE void *{name}({PARAMETERS});" for name in names
    ]
    return PrintedFunction("\n".join(texts), tuple(declarations), numbered, "".join(starts[:1]))


def _dispatcher(
    function: op.FunctionIR, number: int, names: Sequence[str], numbered: Mapping[int, int]
) -> str:
    # A region that continues in another one returns 2 * entry + 1. Frames have even addresses.
    out = [
        f"static inline PORTER_DEVICE void *f{number}({PARAMETERS}) {{",
        "    uint64_t on = 2 * (uint64_t)entry + 1;",
        "    while (on & 1) {",
        "        switch ((unsigned int)(on >> 1)) {",
    ]
    for name, region in zip(names, function.regions, strict=True):
        cases = " ".join(f"case {numbered[at]}:" for at in region.entries)
        called = f"{name}(cs, (unsigned int)(on >> 1), native)"
        out += [f"        {cases}", f"            on = (uint64_t){called}; break;"]
    out += ["        default: return cs;", "        }", "    }", "    return (void *)on;", "}"]
    return "\n".join([*out, ""])


class _RegionPrinter:
    """Prints one region as a C++ function.

    Temporaries are renumbered without gaps: `offset` is added to those of the current block. Equal
    side exits share one label.
    """

    def __init__(
        self,
        function: op.FunctionIR,
        region: op.Region,
        name: str,
        numbered: Mapping[int, int],
        guards: GuardTable,
        forced: bool,
    ) -> None:
        self.function, self.region, self.name = function, region, name
        self.numbered, self.guards, self.forced = numbered, guards, forced
        self.exits: dict[str, str] = {}  # labels by C++
        self.cold: list[str] = []  # rarely executed paths, which stand behind the blocks
        self.returns = False
        self.offsets: dict[int, int] = {}
        base = 0
        for at, block in region.blocks.items():
            self.offsets[at] = base - block.first
            base += block.count
        self.offset = 0

    # ---- the function ----

    def text(self) -> str:
        """Return the C++ function."""
        blocks = self.region.blocks
        hot = {at: self.block(block) for at, block in blocks.items()}
        body: list[str] = []
        for at, block in blocks.items():
            lines = [*self.strips(block), *hot[at]]
            body += [f"L{at}: {{ // {block.about}".rstrip(), *map("    {}".format, lines), "}"]
        body += map(self.continuation, self.region.exits)
        entering = list(self.entering())
        out = [
            f"// {self.function.title}",
            f"static TIER_FUNCTION PORTER_DEVICE void *{self.name}({PARAMETERS}) {{",
            "    mp_obj_t *const frame = cs->state;",
            f"    const byte *const code = tier_code(native) + {self.function.start};",
            "    int32_t left, last, at, top, turns;",
            "    int counted;",
            "    bool looked;",
            "    void *next;",
            *self.declarations(),
        ]
        exits = [f"{label}: {text}" for text, label in self.exits.items()]
        ends = [f"out: {_LEAVE} return cs;"]
        if self.returns:
            ends.append(f"returns: {_LEAVE} return NULL;")
        return "\n".join([*out, *entering, *body, *self.cold, *exits, *ends, "}", ""])

    def declarations(self) -> Iterator[str]:
        """Yield the declarations of C++ variables, by type."""
        types: dict[str, str] = {}
        for block in self.region.blocks.values():
            jumps = [each for each in op.every(block.operations) if isinstance(each, op.BlockJump)]
            passed = [slot for jump in jumps for slot in jump.slots]
            types |= {name: C_TYPES[kind] for name, kind in (*block.shape.variables(), *passed)}
        for at in self.region.exits:
            shape = self.function.continuations[at].shape
            types |= {name: C_TYPES[kind] for name, kind in shape.variables()}
        for at in self.region.entries:
            loads = self.function.entries[at].loads
            types |= {load.name: C_TYPES[load.known.kind] for load in loads}
        for at, block in self.region.blocks.items():
            self.offset = self.offsets[at]
            types |= {self.value(name): type_ for name, type_ in block.variables}
        for at in self.region.entries:
            variables = self.function.entries[at].variables
            types |= {self.value(name): type_ for name, type_ in variables}
        for type_ in dict.fromkeys(types.values()):
            names = [name for name, of in types.items() if of == type_]
            pointer = "*" if type_.endswith("*") else ""
            listed = ", ".join(f"{pointer}{name}" for name in names)
            yield f"    {type_.rstrip(' *')} {listed};"

    def continuation(self, at: int) -> str:
        """Return the edge to a block of another region."""
        target = self.function.continuations[at]
        return (
            f"L{at}: {self.stores(target.stores)} tier_give_polls(left); cs->ip = code + {at}; "
            f"cs->sp = frame + {len(target.shape.stack) - 1}; "
            f"return (void *)(uint64_t){2 * self.numbered[at] + 1};"
        )

    def entering(self) -> Iterator[str]:
        """Yield the `switch` by entry: each loads and checks the slots of its block."""
        yield "    switch (entry) {"
        for at in self.region.entries:
            entry = self.function.entries[at]
            yield f"    case {self.numbered[at]}:"
            lines = [
                f"if (cs->sp != frame + {entry.depth - 1}) {{ return cs; }}",
                *self.loads(entry),
                *(line for view in entry.views for line in self.lines(view)),
                "left = tier_polls();",
                f"goto L{at};",
            ]
            yield from map("        {}".format, lines)
        yield from ("    default: return cs;", "    }")

    def loads(self, entry: op.EntryPoint) -> Iterator[str]:
        """Yield the loads of addresses and slots, with their checks."""
        for variable, found, missing in entry.addresses:
            yield f"{variable.name} = {self.value(found)};"
            yield f"if ({variable.name} == {self.value(missing)}) {{ return cs; }}"
        for load in entry.loads:
            name, known = load.name, load.known
            if known.kind == OBJECT:
                yield f"{name} = {self.value(load.source)};"
                if known.bound and name.startswith("v"):
                    yield f"if ({name} == MP_OBJ_NULL) {{ return cs; }}"
                continue
            fails = ex.Not(ex.HasType(known.kind, load.source))
            yield f"if ({self.condition(fails)}) {{ return cs; }}"
            yield f"{name} = {self.value(ex.Unbox(known.kind, load.source))};"
            if known.kind == INT and known.range != SMALL:
                low, high = (ex.Integer(limit) for limit in (known.range.low, known.range.high))
                outside = f"{name} < {self.value(low)} || {name} > {self.value(high)}"
                yield f"if ({outside}) {{ return cs; }}"

    def block(self, block: op.IrBlock) -> list[str]:
        """Return the lines of a block without its strips."""
        self.offset = self.offsets[block.at]
        return self.all(block.operations)

    # ---- strips ----

    def strips(self, block: op.IrBlock) -> Iterator[str]:
        """Yield the strips of a loop's test: the last one is for arrays of all other typecodes."""
        *special, last = block.strips or (None,)
        if last is None:
            return
        for number, strip in enumerate(special):
            codes = strip.typecodes.items()
            asked = " && ".join(f"e{view}c == '{code}'" for view, code in codes)
            yield f"{'} else ' * bool(number)}if ({asked}) {{"
            yield from self.strip(block, strip)
        if special:
            yield "} else {"
        yield from self.strip(block, last)
        if special:
            yield "}"

    def strip(self, head: op.IrBlock, strip: op.Strip) -> Iterator[str]:
        """Yield one strip."""
        self.offset = self.offsets[head.at]
        branches = strip.branches
        limit = "left" if branches == 1 else f"left / {branches}"
        distance = f"{self.value(strip.far)} - {self.value(strip.near)}{' + 1' * strip.inclusive}"
        turns = f"tier_turns({limit}, {distance}, {self.value(ex.Integer(strip.step))})"
        if branches == 1:  # `left` then counts the iterations
            yield f"last = left - {turns};"
            yield "while (left > last) {"
        else:
            yield f"turns = {turns};"
            yield "while (--turns >= 0) {"
        yield "    left--;"
        yield from map("    {}".format, self.all(strip.entering))
        for block in strip.blocks:
            self.offset = self.offsets[block.at]
            yield f"    S{strip.label}_{block.at}: {{ // {block.about}".rstrip()
            yield from map("        {}".format, self.all(block.operations))
            yield "    }"
        yield f"    S{strip.label}_next:;"
        yield "}"

    # ---- operations ----

    def all(self, operations: Iterable[op.Operation]) -> list[str]:
        """Return the lines of operations."""
        return [line for each in operations for line in self.lines(each)]

    def lines(self, operation: op.Operation) -> Iterator[str]:
        """Yield the lines of an operation."""
        printer: Callable[[Any, Any], Iterator[str]] = _OPERATIONS[type(operation)]
        return printer(self, operation)

    def assign(self, it: op.Assign) -> Iterator[str]:
        arithmetic = isinstance(it.value, ex.Arithmetic)
        value = self.condition(it.value) if arithmetic else self.value(it.value)
        yield f"{self.value(it.target)} = {value};"

    def evaluate(self, it: op.Evaluate) -> Iterator[str]:
        yield f"{self.value(it.value)};"

    def store_all(self, it: op.StoreAll) -> Iterator[str]:
        yield self.stores(it.stores)

    def set_view(self, it: op.SetView) -> Iterator[str]:
        yield f"TIER_VIEW(e{it.view}, {self.value(it.holder)})"

    def count_branch(self, _: op.CountBranch) -> Iterator[str]:
        yield "left--;"

    def poll(self, it: op.SafepointPoll) -> Iterator[str]:
        number = it.number + self.offset
        yield f"if (TIER_UNLIKELY(left <= 0)) {{ goto Z{number}; }}"
        yield f"C{number}:;"
        self.cold.append(
            f"Z{number}: {self.stores(it.stores)} cs->ip = code + {it.at}; "
            "tier_give_polls(left); looked = tier_look(); if (PORTER_UNWINDING) { return cs; } "
            f"left = tier_polls(); if (!looked) {{ {self.leave(it.exit)} }} "
            f"left++; goto C{number};"
        )

    def guard(self, it: op.SpeculationGuard) -> Iterator[str]:
        condition = self.condition(it.fails)
        if self.forced:
            condition = f"TIER_FORCED || ({condition})"
        yield f"if (TIER_UNLIKELY({condition})) {{ {self.leave(it.exit)} }}"

    def exit_if(self, it: op.ExitIf) -> Iterator[str]:
        yield f"if (TIER_UNLIKELY({self.condition(it.condition)})) {{ {self.leave(it.exit)} }}"

    def exit(self, it: op.ExitAlways) -> Iterator[str]:
        yield self.leave(it.exit)

    def jump(self, it: op.BlockJump) -> Iterator[str]:
        yield f"goto S{it.strip}_{it.to};" if it.strip else f"goto L{it.to};"

    def next_iteration(self, it: op.NextIteration) -> Iterator[str]:
        yield f"goto S{it.strip}_next;"

    def branch(self, it: op.Branch) -> Iterator[str]:
        yield f"if ({'' if it.sense else '!'}{self.value(it.condition)}) {{"
        yield from self.all(it.then)
        yield "}"

    def if_(self, it: op.If) -> Iterator[str]:
        yield f"if ({self.condition(it.condition)}) {{"
        yield from self.all(it.then)
        if it.otherwise:
            yield "} else {"
            yield from self.all(it.otherwise)
        yield "}"

    def invoke(self, it: op.Invoke) -> Iterator[str]:
        stack = "" if it.sp is None else f"cs->sp = frame + {it.sp}; "
        assigned = "" if it.target is None else f"{self.value(it.target)} = "
        yield (
            f"cs->ip = code + {it.at}; {stack}tier_give_polls(left); "
            f"{assigned}{self.value(it.value)}; "
            f"if (PORTER_UNWINDING) {{ return {it.raised}; }} left = tier_polls();"
        )

    def fast_path(self, it: op.FastPath) -> Iterator[str]:
        number = it.number + self.offset
        yield f"if (TIER_UNLIKELY({self.condition(it.fails)})) {{ goto Y{number}; }}"
        if it.slow is None:
            return
        yield f"B{number}:;"
        slow = it.slow
        (call,) = self.lines(slow.call)
        checks = self.checks(slow.checks)
        if slow.unboxed:
            checks += " ".join(self.all(slow.unboxed))
        views = " ".join(self.all(slow.views))
        text = f"{self.stores(slow.stores)} {call}{checks} {views}"
        self.cold.append(f"Y{number}: {text} goto B{number};")

    def next_item(self, it: op.NextItem) -> Iterator[str]:
        (quick,), (call,) = self.lines(it.quick), self.lines(it.slow.call)
        yield f"{self.stores(it.stores)} {quick}"
        stores, checks = self.stores(it.slow.stores), self.checks(it.slow.checks)
        slow = f"{stores} {call} {checks} {' '.join(self.all(it.slow.views))}"
        missing = f"{self.value(it.found)} == MP_OBJ_SENTINEL"
        yield f"if (TIER_UNLIKELY({missing})) {{ {slow} }}"

    def next_integer(self, it: op.NextInteger) -> Iterator[str]:
        value, found = self.value(it.value), self.value(it.general.found)
        yield f"counted = tier_range_next(&{self.value(it.iterator)}, &{value});"
        yield "if (counted < 0) {"
        yield from self.lines(it.general)
        yield f"counted = {found} != MP_OBJ_STOP_ITERATION;"
        yield "if (counted) {"
        yield from self.lines(it.guard)
        yield f"{value} = tier_int({found});"
        yield "} }"

    def call_frame(self, it: op.CallFrame) -> Iterator[str]:
        arguments, counts = f"frame + {it.at + 1}", f"{it.positional}, {it.keywords}"
        if it.length:
            counts += f" | {it.length} << 16"
        if it.method:  # the next slot holds the first argument, or MP_OBJ_NULL for none
            bound = f"(frame[{it.at + 1}] != MP_OBJ_NULL)"
            arguments, counts = f"frame + {it.at + 2} - {bound}", f"{bound} + {counts}"
        yield f"cs->ip = code + {it.after}; cs->sp = frame + {it.at}; tier_give_polls(left);"
        yield f"next = called(cs, {arguments}, {counts}, native);"
        yield (
            "if (TIER_UNLIKELY(next != NULL)) { if (next != cs || PORTER_UNWINDING) "
            f"{{ return next; }} {self.leave(it.exit)} }}"
        )
        yield f"{self.value(it.result)} = frame[{it.at}]; left = tier_polls();"

    def return_(self, it: op.Return) -> Iterator[str]:
        self.returns = True
        yield f"at = {it.at}; top = {it.top}; goto returns;"

    # ---- exits, stores and checks ----

    def leave(self, exit_: op.SideExit) -> str:
        """Return the jump to a side exit."""
        counted = ""
        if exit_.speculation is not None:
            number = self.guards.number(self.function.title, exit_.speculation)
            counted = f"tier_count(native, {number}); "
        stores = self.stores(exit_.stores)
        text = f"{counted}{stores} at = {exit_.at}; top = {exit_.depth - 1}; goto out;".lstrip()
        return f"goto {self.exits.setdefault(text, f'X{len(self.exits)}')};"

    def stores(self, stores: Iterable[op.Store]) -> str:
        """Return stores to the frame and to dicts."""
        return " ".join(f"{self.value(one.place)} = {self.value(one.value)};" for one in stores)

    def checks(self, checks: Iterable[op.GlobalCheck]) -> str:
        """Return side exits for changed globals."""
        out = []
        for check in checks:
            exits = []
            for condition, exit_ in check.exits:
                leave = self.leave(exit_)
                if condition is not None:
                    leave = f"if ({self.condition(condition)}) {{ {leave} }}"
                exits.append(leave)
            out.append(f"if (!{self.value(check.same)}) {{ {' '.join(exits)} }}")
        return " ".join(out)

    # ---- expressions ----

    def value(self, expression: ex.Expression) -> str:
        """Return an expression as an operand: comparisons have parentheses."""
        text = self.condition(expression)
        compound = isinstance(expression, ex.Compare | ex.Not | ex.Arithmetic)
        return f"({text})" if compound else text

    def condition(self, expression: ex.Expression) -> str:
        """Return an expression without parentheses around it."""
        printer: Callable[[Any, Any], str] = _EXPRESSIONS[type(expression)]
        return printer(self, expression)

    def temporary(self, it: ex.Temporary) -> str:
        return f"{it.prefix}{it.number + self.offset}"

    def call(self, it: ex.HelperCall) -> str:
        return f"{it.function}({', '.join(map(self.value, it.arguments))})"

    def binary(self, it: ex.Arithmetic) -> str:
        return f"{self.value(it.lhs)} {it.op} {self.value(it.rhs)}"

    def compare(self, it: ex.Compare) -> str:
        return f"{self.value(it.lhs)} {ex.COMPARISONS[it.op]} {self.value(it.rhs)}"

    def conditional(self, it: ex.Conditional) -> str:
        values = f"{self.value(it.yes)} : {self.value(it.no)}"
        return f"({self.condition(it.condition)} ? {values})"

    def view_access(self, it: ex.ViewAccess) -> str:
        name = f"tier_view_{'store_' * it.stores}{it.kind}"
        typecode = f"'{it.typecode}'" if it.typecode else f"e{it.view}c"
        view = f"e{it.view}, e{it.view}n, {typecode}"
        return f"{name}({view}, {self.value(it.index)}, {self.value(it.element)})"


_NUMBER_NAMES = {INT: "int", FLOAT: "float", BOOL: "bool"}
_EXPRESSIONS: Mapping[type[ex.Expression], Any] = {
    ex.Variable: lambda p, it: it.name,
    ex.Temporary: _RegionPrinter.temporary,
    ex.Item: lambda p, it: f"{p.temporary(it.array)}[{it.index}]",
    ex.FrameSlot: lambda p, it: f"frame[{it.index}]",
    ex.GlobalCell: lambda p, it: f"*p{it.slot}",
    ex.FramePointer: lambda p, it: f"frame + {it.index}",
    ex.Integer: lambda p, it: f"INT64_C({it.value})",
    ex.Real: lambda p, it: f"({it.value.hex()})",
    ex.Literal: lambda p, it: str(it.value),
    ex.Symbol: lambda p, it: it.name,
    ex.AddressOf: lambda p, it: f"&{p.value(it.operand)}",
    ex.Cast: lambda p, it: f"({it.type}){p.value(it.operand)}",
    ex.Unary: lambda p, it: f"{it.op}{p.value(it.operand)}",
    ex.Arithmetic: _RegionPrinter.binary,
    ex.Compare: _RegionPrinter.compare,
    ex.Not: lambda p, it: f"!{p.value(it.operand)}",
    ex.Conditional: _RegionPrinter.conditional,
    ex.Box: lambda p, it: f"tier_from_{_NUMBER_NAMES[it.kind]}({p.value(it.operand)})",
    ex.Unbox: lambda p, it: f"tier_{_NUMBER_NAMES[it.kind]}({p.value(it.operand)})",
    ex.HasType: lambda p, it: f"tier_is_{_NUMBER_NAMES[it.kind]}({p.value(it.operand)})",
    ex.HelperCall: _RegionPrinter.call,
    ex.ViewAccess: _RegionPrinter.view_access,
}
_OPERATIONS: Mapping[type[op.Operation], Any] = {
    op.Assign: _RegionPrinter.assign,
    op.Evaluate: _RegionPrinter.evaluate,
    op.StoreAll: _RegionPrinter.store_all,
    op.SetView: _RegionPrinter.set_view,
    op.CountBranch: _RegionPrinter.count_branch,
    op.SafepointPoll: _RegionPrinter.poll,
    op.SpeculationGuard: _RegionPrinter.guard,
    op.ExitIf: _RegionPrinter.exit_if,
    op.ExitAlways: _RegionPrinter.exit,
    op.BlockJump: _RegionPrinter.jump,
    op.NextIteration: _RegionPrinter.next_iteration,
    op.Branch: _RegionPrinter.branch,
    op.If: _RegionPrinter.if_,
    op.Invoke: _RegionPrinter.invoke,
    op.FastPath: _RegionPrinter.fast_path,
    op.NextItem: _RegionPrinter.next_item,
    op.NextInteger: _RegionPrinter.next_integer,
    op.CallFrame: _RegionPrinter.call_frame,
    op.Return: _RegionPrinter.return_,
}
