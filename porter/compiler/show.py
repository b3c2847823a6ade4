"""Print the stages of the compiler for `porter compile --show`.

Stages are the bytecode, the control-flow graph, the types at each block, the IR after a pass, and
the C++.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

from attrs import field, frozen

from porter.compiler.construction import function_ir, shapes_of
from porter.compiler.cxx import compile_module, units_of
from porter.compiler.graph import CodeBlock, Graph
from porter.compiler.ir.text import function_text
from porter.compiler.mpy import (
    BYTES,
    STR,
    TUPLE,
    BytecodeFunction,
    BytecodeInstruction,
    BytecodeModule,
)
from porter.compiler.opcodes import OPCODES, Operand
from porter.compiler.options import CompilerOptions
from porter.compiler.passes import PASSES, run_passes
from porter.compiler.representations import INT, SMALL, Known, Shape
from porter.compiler.tables import Tables
from porter.compiler.unit import FunctionUnit

CONSTRUCTION = "construction"  # the IR before all passes
AFTER = (CONSTRUCTION, *PASSES)
_SINGLE = {0: "functions", 1: "None", 2: "False", 3: "True", 4: "Ellipsis", TUPLE: "a tuple"}


@frozen(slots=False)
class ShownProgram:
    """A program to print.

    Attributes:
        module: Its bytecode.
        tables: Instructions of the release.
        lines: Lines of its Python source.
        options: Options for `compile_module`.
        after: For the IR: the last pass that runs; CONSTRUCTION for none, "" for all.
    """

    module: BytecodeModule
    tables: Tables
    lines: Sequence[str] = ()
    options: CompilerOptions = field(factory=CompilerOptions)
    after: str = ""

    def line(self, number: int) -> str:
        """Return a line of the source by its number from 1; "" if there is no such line."""
        return self.lines[number - 1].strip() if 0 < number <= len(self.lines) else ""

    def name(self, number: int) -> str:
        """Return a Python name by its number in the module."""
        known = self.module.names[number] if number < len(self.module.names) else None
        return f"name {number}" if known is None else known

    @cached_property
    def units(self) -> Mapping[int, FunctionUnit]:
        """The functions that become native code, by number in the module."""
        return units_of(self.module, self.tables, self.lines, options=self.options)


def bytecode(source: ShownProgram) -> str:
    """Return all instructions, below their lines of Python."""
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


def cfg(source: ShownProgram) -> str:
    """Return the basic blocks with stack depths, entries, loop heads and successors."""
    return _text(_blocks(source, lambda unit: {}))


def types(source: ShownProgram) -> str:
    """Return the basic blocks with the kind of each slot at their start."""

    def kinds(unit: FunctionUnit) -> dict[int, list[str]]:
        shapes = shapes_of(unit)
        return {at: list(_kinds(source, unit.graph, shape)) for at, shape in shapes.items()}

    return _text(_blocks(source, kinds))


def ir(source: ShownProgram) -> str:
    """Return the IR of the functions that become native code, after the pass `source.after`."""
    out = []
    for unit in source.units.values():
        function = function_ir(unit, source.lines)
        if source.after != CONSTRUCTION:
            function = run_passes(function, source.options, source.after)
        out.append(function_text(function))
    return "\n".join(out) or "no function becomes native code\n"


def cxx(source: ShownProgram) -> str:
    """Return the C++ of the module; a comment at each block has its line of Python."""
    module, options = source.module, source.options
    return compile_module(module, source.tables, source.lines, options=options).text


def dot(source: ShownProgram) -> str:
    """Return the basic blocks for Graphviz: a cluster per function; entries have a double frame."""
    out = ["digraph cfg {", '  node [shape=box, fontname="monospace"];']
    for number, unit in source.units.items():
        graph = unit.graph
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


STAGES: Mapping[str, Callable[[ShownProgram], str]] = {
    "bytecode": bytecode,
    "cfg": cfg,
    "types": types,
    "ir": ir,
    "cxx": cxx,
}


def _blocks(
    source: ShownProgram, notes: Callable[[FunctionUnit], Mapping[int, list[str]]]
) -> list[str]:
    out: list[str] = []
    for number, function in enumerate(source.module.functions):
        out.append(_title(source, function))
        unit = source.units.get(number)
        out += ["  stays bytecode"] if unit is None else _of_unit(source, unit, notes(unit))
        out.append("")
    return out


def _of_unit(
    source: ShownProgram, unit: FunctionUnit, notes: Mapping[int, list[str]]
) -> Iterator[str]:
    for at, block in sorted(unit.graph.blocks.items()):
        yield f"  {_heading(source, unit.graph, block)}"
        if notes:
            yield from (f"    {note}" for note in notes.get(at, []))
        else:
            yield from (_instruction(source, instruction) for instruction in block.code)
        yield f"    -> {_where(unit.graph, block)}"


def _title(source: ShownProgram, function: BytecodeFunction) -> str:
    parts = [f"{function.state} slots"]
    if function.arguments:
        parts.append(f"{function.arguments} of them arguments")
    if function.cells:
        parts.append(f"{function.cells} cells")
    if function.generator:
        parts.append("generator")
    return f"{source.name(function.name)}: {', '.join(parts)}"


def _line(source: ShownProgram, number: int, indent: str) -> str:
    return f"{indent}{number:4}: {source.line(number)}".rstrip()


def _heading(source: ShownProgram, graph: Graph, block: CodeBlock) -> str:
    words = [f"block {block.at}", f"depth {block.depth}"]
    if block.at in graph.entries:
        words.append("entry")
    if block.at in graph.heads:
        words.append("loop")
    line = graph.function.lines[block.at]
    return f"{', '.join(words)}    {line}: {source.line(line)}".rstrip()


def _where(graph: Graph, block: CodeBlock) -> str:
    names = [str(to) if to in graph.blocks else f"{to} (interpreted)" for to in block.followers]
    return ", ".join(names) if names else f"the interpreter, at {block.last.name}"


def _kinds(source: ShownProgram, graph: Graph, shape: Shape) -> Iterator[str]:
    yield f"stack: {', '.join(map(_kind, shape.stack)) or 'empty'}"
    variables = (f"v{number} {_kind(known)}" for number, known in enumerate(shape.locals))
    yield f"variables: {', '.join(variables) or 'none'}"
    names = zip(graph.names, shape.names, strict=True)
    held = [f"{source.name(number)} {_kind(known)}" for number, known in names if known is not None]
    if held:
        yield f"globals: {', '.join(held)}"


def _kind(known: Known) -> str:
    """Return a value's kind, with the range of an integer if it is smaller than the full one."""
    if known.kind != INT or known.range == SMALL:
        return known.kind
    low, high = (_power(number) for number in (known.range.low, known.range.high))
    return f"{known.kind} {low} to {high}"


def _power(number: int) -> str:
    """Return a number as text; a large one near a power of two as that power and the difference."""
    size = abs(number)
    power = 1 << size.bit_length()
    near = power if power - size < size - power // 2 else power // 2
    if size < 1 << 16 or abs(near - size) > 16:
        return str(number)
    text = f"{'-' if number < 0 else ''}2**{near.bit_length() - 1}"
    rest = number + near if number < 0 else number - near
    return f"{text} {'-' if rest < 0 else '+'} {abs(rest)}" if rest else text


def _instruction(source: ShownProgram, it: BytecodeInstruction) -> str:
    return f"    {it.at:6}  {it.name:24} {_operand(source, it)}".rstrip()


def _operand(source: ShownProgram, it: BytecodeInstruction) -> str:
    number, meaning = it.argument, OPCODES[it.name].operand
    if meaning is Operand.OPERATOR:
        return (source.tables.unary if it.name == "UNARY_OP" else source.tables.binary)[number]
    if meaning in (Operand.VARIABLE, Operand.CELL):
        return f"v{number}"
    if meaning is Operand.CONSTANT:
        return _constant(source, number)
    if meaning is Operand.ARGUMENTS:
        return f"{number & 0xFF} positional, {number >> 8 & 0xFF} by name"
    if meaning is Operand.TARGET:
        return f"to {number}"
    if meaning in (Operand.STRING, Operand.NAME, Operand.GLOBAL, Operand.NAMESPACE):
        return source.name(number)
    return "" if meaning is Operand.NONE else str(number)


def _constant(source: ShownProgram, number: int) -> str:
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
