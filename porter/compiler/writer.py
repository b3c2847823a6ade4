"""Write the C++ of one Python function: its blocks, its entries and its side exits.

A function goes through flow.py (kinds of slots), walker.py (C++ of blocks), parts.py (C++
functions) and strips.py (loops). cxx.py joins the functions of a module.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from porter.compiler.edges import entry_checks, write_edge
from porter.compiler.emitter import Sink, WholeFunction
from porter.compiler.flow import solve
from porter.compiler.frames import PARAMETERS
from porter.compiler.graph import CodeBlock
from porter.compiler.options import GuardPlace
from porter.compiler.parts import FunctionPart, parts_of, whole
from porter.compiler.strips import WrittenBlock
from porter.compiler.values import NOWHERE, TYPES, Known, Shape, slot_name, state_of
from porter.compiler.walker import Walker


class FunctionWriter:
    """The writer of one Python function.

    Args:
        unit: The function.
        source: Lines of the Python source, for comments.
        number: Number of the function in its module.
        first: Number of its first entry.
        guards: Guards of the module; the function's are added.

    Attributes:
        numbered: Numbers of entries by position, from `first` on.
        begins: Name of the C++ function that is entered at the Python function's start, or "".
    """

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
        self.used: dict[str, str] = {}  # kinds of C++ variables for slots, by name
        self.parts = self._parts()
        entered = {at for part in self.parts for at in part.entries}
        self.numbered = {at: first + k for k, at in enumerate(sorted(entered))}
        self.begins = next((self._name(part) for part in self.parts if 0 in part.entries), "")

    def _parts(self) -> list[FunctionPart]:
        entries = sorted(self.graph.entries)
        if self.unit.options.enter != "apart":
            return [whole(entries, self.shapes)]
        return parts_of(entries, self.graph.heads, self._blocks(self.shapes))

    def _name(self, part: FunctionPart) -> str:
        return f"f{self.number}{part.name}"

    @property
    def declared(self) -> list[str]:
        """Declarations of the C++ functions of all parts."""
        names = [*map(self._name, self.parts)]
        return [f"static TIER_FUNCTION PORTER_DEVICE void *{name}({PARAMETERS});" for name in names]

    def text(self) -> str:
        """Return the C++ of all parts, and of a dispatcher by entry if there are several."""
        texts = [self._part(part) for part in self.parts]
        if len(self.parts) > 1:
            texts.append(self._choosing())
        return "\n".join(texts)

    def _choosing(self) -> str:
        # A part that continues in another part returns 2 * entry + 1. Frames have even addresses.
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

    def _part(self, part: FunctionPart) -> str:
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
        """Yield the edges to other parts: each stores the slots to the frame and returns."""
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

    def _entering(self, part: FunctionPart) -> list[str]:
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
    """Return the shape at the start of each block of a function, by position."""
    start = unit.graph.function.start
    without = {place - start for place in unit.options.without}

    def walk(block: CodeBlock, shape: Shape) -> dict[int, Shape]:
        return Walker(unit, Sink()).walk(block, state_of(shape))

    return solve(unit.graph, walk, without)
