"""The stages of the compiled tier as text for people: bytecode, blocks, kinds, C++."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from attrs import frozen

from porter.compiler.cxx import compile_module, shapes_of
from porter.compiler.graph import Block, Graph, graph_of
from porter.compiler.mpy import BYTES, STR, TUPLE, Function, Instruction, Module
from porter.compiler.tables import Tables
from porter.compiler.values import Shape

_OF_VARIABLES = {
    f"{verb}_{kind}" for verb in ("LOAD", "STORE", "DELETE") for kind in ("FAST", "DEREF")
}
_SINGLE = {0: "functions", 1: "None", 2: "False", 3: "True", 4: "Ellipsis", TUPLE: "a tuple"}


@frozen
class Source:
    """What is shown. lines: of the Python source."""

    module: Module
    tables: Tables
    lines: Sequence[str] = ()

    def line(self, number: int) -> str:
        """One line's text, "" where the source has none of that number."""
        return self.lines[number - 1].strip() if 0 < number <= len(self.lines) else ""

    def name(self, number: int) -> str:
        """A name by its number among the module's."""
        known = self.module.names[number] if number < len(self.module.names) else None
        return f"name {number}" if known is None else known

    def graphs(self) -> Iterator[Graph]:
        """Of each function; of the module's own code only loops, as compile_module() has it."""
        for number, function in enumerate(self.module.functions):
            yield graph_of(function, loops=number == 0)


def bytecode(source: Source) -> str:
    """Every instruction under its line of Python."""
    out: list[str] = []
    for function in source.module.functions:
        out += [_title(source, function)]
        line = 0
        for instruction in function.code:
            if function.lines[instruction.at] != line:
                line = function.lines[instruction.at]
                out.append(_line(source, line, "  "))
            out.append(_instruction(source, instruction))
        out.append("")
    return _text(out)


def cfg(source: Source) -> str:
    """Blocks with the stack's depth, entries, heads of loops, and where they lead."""
    return _text(_blocks(source, lambda graph: {}))


def types(source: Source) -> str:
    """The same blocks with the kind of each slot and each variable where they begin."""

    def kinds(graph: Graph) -> dict[int, list[str]]:
        shapes = shapes_of(graph, source.module, source.tables)
        return {at: _kinds(shape) for at, shape in shapes.items()}

    return _text(_blocks(source, kinds))


def cxx(source: Source) -> str:
    """The C++ of the module; a comment at each block has its line of Python."""
    return compile_module(source.module, source.tables, source.lines).text


def dot(source: Source) -> str:
    """The blocks for Graphviz: a cluster for each function; entries have a double frame."""
    out = ["digraph cfg {", '  node [shape=box, fontname="monospace"];']
    for number, graph in enumerate(source.graphs()):
        if not graph.blocks:
            continue
        out += [
            f"  subgraph cluster_{number} {{",
            f"    label={_quoted(_title(source, graph.function))};",
        ]
        for block in graph.blocks.values():
            rows = [_heading(source, graph, block), *(_instruction(source, i) for i in block.code)]
            frame = ", peripheries=2" if block.at in graph.entries else ""
            out.append(f"    f{number}_{block.at} [label={_quoted(*rows)}{frame}];")
            out += [
                f"    f{number}_{block.at} -> f{number}_{to};"
                for to in block.followers
                if to in graph.blocks
            ]
        out.append("  }")
    return _text([*out, "}"])


STAGES: Mapping[str, Callable[[Source], str]] = {
    "bytecode": bytecode,
    "cfg": cfg,
    "types": types,
    "cxx": cxx,
}


def _blocks(source: Source, notes: Callable[[Graph], Mapping[int, list[str]]]) -> list[str]:
    out: list[str] = []
    for graph in source.graphs():
        out.append(_title(source, graph.function))
        if not graph.entries:
            out += ["  nothing is worth compiling here", ""]
            continue
        beside = notes(graph)
        for at, block in sorted(graph.blocks.items()):
            out.append(f"  {_heading(source, graph, block)}")
            out += [f"    {note}" for note in beside.get(at, [])]
            if not beside:
                out += [_instruction(source, instruction) for instruction in block.code]
            out.append(f"    -> {_where(graph, block)}")
        out.append("")
    return out


def _title(source: Source, function: Function) -> str:
    parts = [f"{function.state} slots"]
    if function.arguments:
        parts.append(f"{function.arguments} of them arguments")
    if function.cells:
        parts.append(f"{function.cells} cells")
    if function.generator:
        parts.append("generator")
    return f"{source.name(function.name)}: {', '.join(parts)}"


def _line(source: Source, number: int, indent: str) -> str:
    return f"{indent}{number:4}: {source.line(number)}".rstrip()


def _heading(source: Source, graph: Graph, block: Block) -> str:
    words = [f"block {block.at}", f"depth {block.depth}"]
    if block.at in graph.entries:
        words.append("entry")
    if block.at in graph.heads:
        words.append("loop")
    line = graph.function.lines[block.at]
    return f"{', '.join(words)}    {line}: {source.line(line)}".rstrip()


def _where(graph: Graph, block: Block) -> str:
    names = [str(to) if to in graph.blocks else f"{to} (interpreted)" for to in block.followers]
    return ", ".join(names) if names else f"the interpreter, at {block.last.name}"


def _kinds(shape: Shape) -> list[str]:
    stack = " ".join(known.kind for known in shape.stack) or "empty"
    variables = " ".join(f"v{number} {known.kind}" for number, known in enumerate(shape.locals))
    return [f"stack: {stack}", f"variables: {variables or 'none'}"]


def _instruction(source: Source, it: Instruction) -> str:
    return f"    {it.at:6}  {it.name:24} {_operand(source, it)}".rstrip()


def _operand(source: Source, it: Instruction) -> str:
    name, number, tables = it.name, it.argument, source.tables
    if name in ("UNARY_OP", "BINARY_OP"):
        return (tables.unary if name == "UNARY_OP" else tables.binary)[number]
    if name in _OF_VARIABLES:
        return f"v{number}"
    if name == "LOAD_CONST_OBJ":
        return _constant(source, number)
    if name.startswith("CALL_"):
        return f"{number & 0xFF} positional, {number >> 8 & 0xFF} by name"
    form = dict(_forms(tables)).get(name, "byte")
    if form == "offset":
        return f"to {number}"
    if form == "qstr":
        return source.name(number)
    return str(number) if form == "uint" else ""


def _forms(tables: Tables) -> Iterator[tuple[str, str]]:
    for number, name in tables.opcodes.items():
        yield name.removesuffix("_N"), tables.formats[number >> 4]


def _constant(source: Source, number: int) -> str:
    if number >= len(source.module.constants):
        return str(number)
    constant = source.module.constants[number]
    if constant.kind in _SINGLE:
        return _SINGLE[constant.kind]
    text = constant.text.decode("utf-8", "replace")
    if constant.kind == STR:
        return repr(text)
    return repr(constant.text) if constant.kind == BYTES else text


def _quoted(*rows: str) -> str:
    text = "\\l".join(row.strip().replace("\\", "\\\\").replace('"', '\\"') for row in rows)
    return f'"{text}\\l"'


def _text(lines: list[str]) -> str:
    return "\n".join(lines).rstrip("\n") + "\n"
