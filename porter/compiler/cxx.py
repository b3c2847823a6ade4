"""The C++ of a module: a function for each of its functions, and one that finds it by entry."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve, frozen

from porter.compiler.flow import solve
from porter.compiler.graph import Block, Graph, graph_of
from porter.compiler.mpy import Module
from porter.compiler.tables import Tables
from porter.compiler.values import BOOL, FLOAT, INT, MEMORY, OBJECT, TYPES, Shape, State, Value
from porter.compiler.walker import Walker

_HEAD = """\
#define TIER_EXPORT __attribute__((visibility("default")))
#define TIER_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define INT64_C(x) x##L
#define MP_OBJ_NULL tier_null()
#define MP_OBJ_STOP_ITERATION tier_null()
#define MP_OBJ_SENTINEL tier_sentinel()
#define MP_OBJ_NEW_QSTR(name) tier_text(name)
#define mp_const_none tier_none()
#undef NULL
#define NULL 0
"""
_LETTERS = {OBJECT: "o", INT: "i", FLOAT: "f", BOOL: "b"}


@frozen
class Compiled:
    """C++ of a module. entries: (position in the code's bytes, number), numbers from 1."""

    text: str
    entries: tuple[tuple[int, int], ...]


def compile_module(
    module: Module,
    tables: Tables,
    lines: Sequence[str] = (),
    *,
    symbol: str = "tier_run",
    loops: bool = True,
) -> Compiled:
    """C++ for all functions of a module; `lines` of its source stand beside their code.

    symbol: what runs it, a gpusnek_native_run_t (interp.h). loops: of the module's own code only
    loops.
    """
    parts, cases = [_HEAD], []
    entries: list[tuple[int, int]] = []
    for number, function in enumerate(module.functions):
        # What a module does once is not worth compiling.
        graph = graph_of(function, loops=loops and number == 0)
        if not graph.entries:
            continue
        first = len(entries) + 1
        numbered = {at: first + k for k, at in enumerate(sorted(graph.entries))}
        parts.append(_Writer(graph, module, tables, lines, number, numbered).text())
        entries += [(function.start + at, n) for at, n in numbered.items()]
        cases.append(
            f"    if (entry < {len(entries) + 1}) {{ f{number}(cs, entry, native); return; }}"
        )
    parts.append(
        f'extern "C" TIER_EXPORT PORTER_DEVICE void {symbol}('
        "void *code_state, unsigned int entry, const gpusnek_native_t *native) {\n"
        "    mp_code_state_t *const cs = (mp_code_state_t *)code_state;\n"
        + "\n".join(cases)
        + "\n}\n"
    )
    return Compiled("\n".join(parts), tuple(entries))


class _Writer:
    def __init__(
        self,
        graph: Graph,
        module: Module,
        tables: Tables,
        source: Sequence[str],
        number: int,
        numbered: dict[int, int],
    ) -> None:
        self.graph, self.module, self.tables = graph, module, tables
        self.source, self.number, self.numbered = source, number, numbered
        self.shapes = solve(graph, self._analyse)

    def _analyse(self, block: Block, shape: Shape) -> dict[int, Shape]:
        walker = Walker(self.graph, self.module, self.tables)
        return walker.walk(block, _state(shape))

    def text(self) -> str:
        body: list[str] = []
        used: set[str] = set()
        for at, block in sorted(self.graph.blocks.items()):
            if at in self.shapes:
                body += self._block(block, used)
        out = [
            f"static PORTER_DEVICE void f{self.number}("
            "mp_code_state_t *const cs, unsigned int entry, const gpusnek_native_t *const native) {",
            "    mp_obj_t *const frame = cs->state;",
            f"    const byte *const code = tier_code(native) + {self.graph.function.start};",
            "    int32_t left;",
        ]
        entering = self._entering(used)
        for name in sorted(used):
            kind = next(k for k, letter in _LETTERS.items() if name.endswith(letter))
            out.append(f"    {TYPES[kind]} {name};")
        out += entering + body + ["}", ""]
        return "\n".join(out)

    def _entering(self, used: set[str]) -> list[str]:
        out = ["    switch (entry) {"]
        for at, number in self.numbered.items():
            shape = self.shapes[at]
            out.append(f"    case {number}:")
            depth = len(shape.stack)
            out.append(f"        if (cs->sp != frame + {depth - 1}) {{ return; }}")
            known = (*shape.stack, *shape.locals)
            for (name, kind, slot), slots in zip(self._slots(shape), known, strict=True):
                where = f"frame[{slot}]"
                if kind == MEMORY:
                    continue
                used.add(name)
                if kind == OBJECT:
                    out.append(f"        {name} = {where};")
                    # What flows here by itself has a value; what the interpreter brings may not.
                    if slots.bound and slot >= len(shape.stack):
                        out.append(f"        if ({name} == MP_OBJ_NULL) {{ return; }}")
                    continue
                test, take = _UNBOX[kind]
                out.append(f"        if (!{test}({where})) {{ return; }}")
                out.append(f"        {name} = {take}({where});")
            out += ["        left = tier_polls();", f"        goto L{at};"]
        return [*out, "    default: return;", "    }"]

    def _slots(self, shape: Shape) -> list[tuple[str, str, int]]:
        """Name, kind and position in the frame of each."""
        last = self.graph.function.state - 1
        stack = [(_name("s", n, k.kind), k.kind, n) for n, k in enumerate(shape.stack)]
        named = [(_name("v", n, k.kind), k.kind, last - n) for n, k in enumerate(shape.locals)]
        return stack + named

    def _block(self, block: Block, used: set[str]) -> list[str]:
        walker = Walker(self.graph, self.module, self.tables)
        state = _state(self.shapes[block.at])
        walker.state = state
        for values in (state.stack, state.locals):
            for n, value in enumerate(values):
                if value.kind != MEMORY:
                    used.add(value.text)
                    held = walker.new(value.kind, value.text)
                    values[n] = evolve(value, text=held.text)
        walker.on_edge = lambda to: self._edge(walker, to, used)
        walker.walk(block, state)
        line = self.graph.function.lines[block.at]
        beside = self.source[line - 1].strip() if 0 < line <= len(self.source) else ""
        out = [f"L{block.at}: {{ // {line}: {beside}".rstrip().rstrip("\\")]
        return [*out, *(f"    {text}" for text in walker.lines if text), "}"]

    def _edge(self, walker: Walker, to: int, used: set[str]) -> None:
        if not walker.leads(to):
            walker.say(walker.leave(to))
            return
        shape = self.shapes[to]
        values = (*walker.state.stack, *walker.state.locals)
        for (_, kind, _), value in zip(self._slots(shape), values, strict=True):
            if kind in _UNBOX and value.kind == OBJECT:
                walker.leave_if(f"!{_UNBOX[kind][0]}({value.text})", to)
        for (name, kind, _), value in zip(self._slots(shape), values, strict=True):
            if kind == MEMORY:
                continue
            used.add(name)
            if kind == value.kind:
                walker.say(f"{name} = {value.text};")
            elif kind == OBJECT:
                walker.say(f"{name} = {value.boxed()};")
            else:
                walker.say(f"{name} = {_UNBOX[kind][1]}({value.text});")
        walker.say(f"goto L{to};")


_UNBOX = {
    INT: ("tier_is_int", "tier_int"),
    FLOAT: ("tier_is_float", "tier_float"),
    BOOL: ("tier_is_bool", "tier_bool"),
}


def _name(prefix: str, number: int, kind: str) -> str:
    return f"{prefix}{number}{_LETTERS.get(kind, '')}"


def _state(shape: Shape) -> State:
    return State(
        [Value(k.kind, _name("s", n, k.kind), k.clean, k.bound) for n, k in enumerate(shape.stack)],
        [
            Value(k.kind, _name("v", n, k.kind), k.clean, k.bound)
            for n, k in enumerate(shape.locals)
        ],
    )


def shapes_of(graph: Graph, module: Module, tables: Tables) -> dict[int, Shape]:
    """What is known where each of a function's blocks begins."""

    def walk(block: Block, shape: Shape) -> dict[int, Shape]:
        return Walker(graph, module, tables).walk(block, _state(shape))

    return solve(graph, walk)
