"""The C++ of a module: a function for each of its functions, and one that finds it by entry."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import evolve, frozen

from porter.compiler.edges import entry_checks, write_edge
from porter.compiler.emitter import Sink, WholeFunction
from porter.compiler.flow import solve
from porter.compiler.frames import PARAMETERS, calls_text
from porter.compiler.graph import CodeBlock, graph_of
from porter.compiler.mpy import BytecodeFunction, BytecodeModule
from porter.compiler.options import CompilerOptions, GuardPlace
from porter.compiler.parts import Part, parts_of, whole
from porter.compiler.stored import SYMBOL
from porter.compiler.strips import WrittenBlock
from porter.compiler.tables import Tables
from porter.compiler.values import NOWHERE, TYPES, Known, Shape, slot_name, state_of
from porter.compiler.walker import Walker
from porter.compiler.worth import is_worth_it, worth_entering

_HEAD = """\
#define TIER_EXPORT __attribute__((visibility("default")))
#ifdef __CUDACC__
#define TIER_UNLIKELY(x) __builtin_expect(!!(x), 0)
// nvcc puts a function into whatever calls it, and does so again in what came of that.
#define TIER_FUNCTION __attribute__((noinline))
#else
#define TIER_FUNCTION
#define TIER_UNLIKELY(x) __builtin_expect_with_probability(!!(x), 0, 0.99999)
#endif
#define TIER_APART __attribute__((noinline))
#define INT64_C(x) x##L
#define MP_OBJ_NULL tier_null()
#define MP_OBJ_STOP_ITERATION tier_null()
#define MP_OBJ_SENTINEL tier_sentinel()
#define MP_OBJ_NEW_QSTR(name) tier_text(name)
#define mp_const_none tier_none()
#define TIER_VIEW(e, o) { \\
    uint64_t size; e = tier_view(o, &size); e##n = size >> 8; e##c = (uint32_t)(size & 255); }
#undef NULL
#define NULL 0
// How many turns a counter makes that has `distance` to go in steps of `step`: at most `most`.
static inline PORTER_DEVICE int32_t tier_turns(int32_t most, int64_t distance, int64_t step) {
    if (distance <= 0) { return 0; }
    const int64_t turns = (distance + step - 1) / step;
    return turns < most ? (int32_t)turns : most;
}
"""
_ENTRANCE = """\
extern "C" TIER_EXPORT PORTER_DEVICE void {symbol}(void *code_state, unsigned int entry,
    const gpusnek_native_t *native) {{
    mp_code_state_t *const cs = (mp_code_state_t *)code_state;
    const void *const landing = tier_landing();
    const uint32_t begun = tier_begun();
    void *next = NULL;
{cases}
    tier_end(begun);
    // What ends the program lands elsewhere: then nothing goes on.
    if (next != NULL && next != cs && (!PORTER_UNWINDING || porter_landing_at(landing))) {{
        tier_go_on((mp_code_state_t *)next);
    }}
}}
"""
_DEFINITION = re.compile(r"\s*(?:async\s+)?def\s+(\w+)")


@frozen
class CompiledModule:
    """C++ of a module. entries: (position in the code's bytes, number), numbers from 1. guards:
    each place that gives up where a guess does not hold."""

    text: str
    entries: tuple[tuple[int, int], ...]
    guards: tuple[GuardPlace, ...] = ()


def compile_module(
    module: BytecodeModule,
    tables: Tables,
    lines: Sequence[str] = (),
    *,
    symbol: str = SYMBOL,
    loops: bool = True,
    options: CompilerOptions | None = None,
) -> CompiledModule:
    """C++ for all functions of a module; `lines` of its source stand beside their code.

    symbol: what runs it, a gpusnek_native_run_t (interp.h). loops: of the module's own code only
    loops, and no function that machine code makes no faster.
    """
    options = options or CompilerOptions()
    parts = [_HEAD + _forcing(options)]
    cases: list[str] = []
    entries: list[tuple[int, int]] = []
    guards: list[GuardPlace] = []
    units = units_of(module, tables, lines, loops=loops, options=options)
    starts: dict[int, str] = {}
    declared: list[str] = []
    next_entry = 1
    for number, unit in units.items():
        writer = _Writer(unit, lines, number, next_entry, guards)
        parts.append(writer.text())
        declared += writer.declared
        start = unit.graph.function.start
        entries += [(start + at, writer.numbered[at]) for at in sorted(unit.graph.entries)]
        if 0 in writer.numbered and not unit.graph.function.generator:
            starts[number] = f"{writer.begins}(frame, {writer.numbered[0]}, native)"
        next_entry += len(writer.numbered)
        cases.append(
            f"    {'else ' * bool(cases)}if (entry < {next_entry}) "
            f"{{ next = f{number}(cs, entry, native); }}"
        )
    parts.insert(1, calls_text(module, declared, starts))
    parts.append(_ENTRANCE.format(symbol=symbol, cases="\n".join(cases)))
    return CompiledModule("\n".join(parts), tuple(entries), tuple(guards))


def units_of(
    module: BytecodeModule,
    tables: Tables,
    lines: Sequence[str] = (),
    *,
    loops: bool = True,
    options: CompilerOptions | None = None,
) -> dict[int, WholeFunction]:
    """The functions that are worth machine code, by their numbers in the module."""
    options = options or CompilerOptions()
    found = {}
    for number, function in enumerate(module.functions):
        # What a module does once is not worth compiling.
        once = loops and number == 0
        everywhere = options.enter == "everywhere"
        graph = graph_of(function, loops=once, everywhere=everywhere)
        if loops and not everywhere:
            graph = evolve(graph, entries=worth_entering(graph, options))
        if graph.entries and (not loops or is_worth_it(graph, module, options)):
            title = title_of(module, function, number, lines)
            found[number] = WholeFunction(graph, module, tables, options, title)
    return found


def _forcing(options: CompilerOptions) -> str:
    if options.force is None:
        return ""
    if options.force == "guards":
        return "#define TIER_FORCED true\n"
    return (
        "static PORTER_DEVICE unsigned int tier_passed;\n"
        f"#define TIER_FORCED (++tier_passed % {options.force}u == 0)\n"
    )


def title_of(
    module: BytecodeModule, function: BytecodeFunction, number: int, lines: Sequence[str]
) -> str:
    """What people call a function; `lines` are the source's."""
    name = module.names[function.name]
    if name or number == 0:
        return name or "<module>"
    # A name that the release knows by number: it stands in the source, before the first line.
    for line in reversed(lines[: function.lines.get(0, 0)]):
        found = _DEFINITION.match(line)
        if found:
            return found.group(1)
    return "a function"


class _Writer:
    """Writes one function of Python. numbered: numbers of entries, from `first` on. begins: the C++
    function that has the entry at its start."""

    def __init__(
        self,
        unit: WholeFunction,
        source: Sequence[str],
        number: int,
        first: int,
        guards: list[GuardPlace],
    ) -> None:
        self.unit, self.graph = unit, unit.graph
        self.source, self.number = source, number
        self.guards, self.sink = guards, Sink()
        self.shapes = shapes_of(unit)
        self.used: dict[str, str] = {}  # kinds of slots' variables by name
        self.parts = self._parts()
        entered = {at: None for part in self.parts for at in part.entries}
        self.numbered = {at: first + k for k, at in enumerate(sorted(entered))}
        self.begins = next((self._name(part) for part in self.parts if 0 in part.entries), "")

    def _parts(self) -> list[Part]:
        entries = sorted(self.graph.entries)
        if self.unit.options.enter != "apart":
            return [whole(entries, self.shapes)]
        return parts_of(entries, self.graph.heads, self._blocks(self.shapes))

    def _name(self, part: Part) -> str:
        return f"f{self.number}{part.name}"

    @property
    def declared(self) -> list[str]:
        """Declarations of the C++ functions that others call."""
        names = [*map(self._name, self.parts)]
        return [f"static TIER_FUNCTION PORTER_DEVICE void *{name}({PARAMETERS});" for name in names]

    def text(self) -> str:
        """The C++ of all parts, and of what chooses one of several by the entry."""
        texts = [self._part(part) for part in self.parts]
        if len(self.parts) > 1:
            texts.append(self._choosing())
        return "\n".join(texts)

    def _choosing(self) -> str:
        # Where a part goes on in another one it gives back the entry's number, as an odd one:
        # frames stand at even addresses.
        out = [
            f"static inline PORTER_DEVICE void *f{self.number}({PARAMETERS}) {{",
            "    uint64_t on = 2 * (uint64_t)entry + 1;",
            "    while (on & 1) {",
            "        switch ((unsigned int)(on >> 1)) {",
        ]
        for part in self.parts:
            cases = " ".join(f"case {self.numbered[at]}:" for at in part.entries)
            called = f"{self._name(part)}(cs, (unsigned int)(on >> 1), native)"
            out += [f"        {cases}", f"            on = (uint64_t){called}; break;"]
        out += ["        default: return cs;", "        }", "    }", "    return (void *)on;", "}"]
        return "\n".join([*out, ""])

    def _blocks(self, chosen: Iterable[int]) -> dict[int, WrittenBlock]:
        return {at: self._block(self.graph.blocks[at]) for at in sorted(chosen)}

    def _part(self, part: Part) -> str:
        self.sink, self.used = Sink(self.guards), {}
        blocks = self._blocks(part.blocks)
        body = [line for block in blocks.values() for line in block.text(blocks)]
        body += self._going_on(blocks)
        entering = self._entering(part)
        code = f"tier_code(native) + {self.graph.function.start}"
        out = [
            f"// {self.unit.title}",
            f"static TIER_FUNCTION PORTER_DEVICE void *{self._name(part)}({PARAMETERS}) {{",
            "    mp_obj_t *const frame = cs->state;",
            f"    const byte *const code = {code};",
            "    int32_t left, last, at, top, turns;",
            "    int counted;",
            "    bool looked;",
            "    void *next;",
        ]
        variables = {name: TYPES[kind] for name, kind in self.used.items()} | self.sink.variables
        for type_ in dict.fromkeys(variables.values()):
            names = [name for name, of in variables.items() if of == type_]
            pointer = type_.endswith("*")
            listed = ", ".join(f"*{name}" if pointer else name for name in names)
            base = type_.rstrip(" *")
            out.append(f"    {base} {listed};")
        ways_out = [f"{label}: {text}" for text, label in self.sink.ways_out.items()]
        leave = "tier_give_polls(left); cs->ip = code + at; cs->sp = frame + top;"
        ends = [f"out: {leave} return cs;"]
        if self.sink.returns:
            ends.append(f"returns: {leave} return NULL;")
        return "\n".join([*out, *entering, *body, *self.sink.cold, *ways_out, *ends, "}", ""])

    def _going_on(self, blocks: Mapping[int, WrittenBlock]) -> Iterator[str]:
        """Where ways lead to entries of other parts: the frame becomes what these find in it."""
        for at in sorted(
            {to for block in blocks.values() for to in block.leads_to} - blocks.keys()
        ):
            walker, state = Walker(self.unit, self.sink), state_of(self.shapes[at])
            stores = walker.stores(state)
            for value in (*state.stack, *state.locals, *filter(None, state.names)):
                if value.kind not in NOWHERE:
                    self.used[value.text] = value.kind
            yield (
                f"L{at}: {stores} tier_give_polls(left); cs->ip = code + {at}; "
                f"cs->sp = frame + {len(state.stack) - 1}; "
                f"return (void *)(uint64_t){2 * self.numbered[at] + 1};"
            )

    def _entering(self, part: Part) -> list[str]:
        out = ["    switch (entry) {"]
        for at in part.entries:
            shape = self.shapes[at]
            out.append(f"    case {self.numbered[at]}:")
            out.append(f"        if (cs->sp != frame + {len(shape.stack) - 1}) {{ return cs; }}")
            checks = entry_checks(list(self._words(shape)), self.used)
            state, walker = state_of(shape), Walker(self.unit, self.sink)
            walker.state = state
            views = [walker.viewed(at) for at, known in enumerate(shape.views) if known]
            out += [f"        {line}" for line in [*self._pointers(shape), *checks, *views]]
            out += ["        left = tier_polls();", f"        goto L{at};"]
        return [*out, "    default: return cs;", "    }"]

    def _words(self, shape: Shape) -> Iterator[tuple[str, Known, str]]:
        last = self.graph.function.state - 1
        for number, known in enumerate(shape.stack):
            if known.kind not in NOWHERE:
                yield slot_name("s", number, known.kind), known, f"frame[{number}]"
        for number, known in enumerate(shape.locals):
            if known.kind not in NOWHERE:
                yield slot_name("v", number, known.kind), known, f"frame[{last - number}]"
        for slot, name in enumerate(shape.names):
            if name is not None:
                stored = self.graph.names[slot] in self.graph.stored
                yield slot_name("g", slot, name.kind), name, f"*p{slot}" if stored else f"q{slot}"

    def _pointers(self, shape: Shape) -> Iterator[str]:
        walker = Walker(self.unit, self.sink)
        for slot, known in enumerate(shape.names):
            if known is None:
                continue
            number = self.graph.names[slot]
            stored = number in self.graph.stored
            name = f"p{slot}" if stored else f"q{slot}"
            self.sink.variables[name] = "mp_obj_t *" if stored else "mp_obj_t"
            yield f"{name} = {walker.looked_up(number)};"
            yield f"if ({name} == {'NULL' if stored else 'MP_OBJ_NULL'}) {{ return cs; }}"

    def _block(self, block: CodeBlock) -> WrittenBlock:
        walker = Walker(self.unit, self.sink)
        state = state_of(self.shapes[block.at])
        for value in (*state.stack, *state.locals, *filter(None, state.names)):
            if value.kind not in NOWHERE:
                self.used[value.text] = value.kind
        walker.on_edge = lambda to: write_edge(walker, to, self.shapes.get(to), self.used)
        walker.walk(block, state)
        line = self.graph.function.lines[block.at]
        beside = self.source[line - 1].strip() if 0 < line <= len(self.source) else ""
        about = f"{line}: {beside}".rstrip().rstrip("\\")
        return WrittenBlock(block.at, about, [text for text in walker.lines if text], walker.tested)


def shapes_of(unit: WholeFunction) -> dict[int, Shape]:
    """What is known where each of a function's blocks begins."""
    start = unit.graph.function.start
    without = {place - start for place in unit.options.without}

    def walk(block: CodeBlock, shape: Shape) -> dict[int, Shape]:
        return Walker(unit, Sink()).walk(block, state_of(shape))

    return solve(unit.graph, walk, without)
