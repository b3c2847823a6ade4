"""Construct the IR of a Python function from its control-flow graph.

Data flow analysis (flow.py) infers the slots at the start of each block, and translate.py
translates each block. The passes (passes/) then rewrite the IR, and cxx.py joins the functions of a
module.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count

from porter.compiler.builder import BlockBuilder, BlockContext
from porter.compiler.edges import add_edge, entry_of
from porter.compiler.flow import solve
from porter.compiler.graph import CodeBlock
from porter.compiler.ir.operations import Continuation, FunctionIR, IrBlock, Region
from porter.compiler.representations import Shape
from porter.compiler.translate import note_edge, translate_block
from porter.compiler.unit import FunctionUnit
from porter.compiler.values import BlockState, state_of


def function_ir(unit: FunctionUnit, source: Sequence[str] = ()) -> FunctionIR:
    """Return the IR of a function, as one region.

    Args:
        unit: The function.
        source: Lines of the Python source, for comments.
    """
    graph = unit.graph
    shapes = shapes_of(unit)
    blocks: dict[int, IrBlock] = {}
    first = 0
    for at in sorted(shapes):
        blocks[at] = _block(unit, graph.blocks[at], shapes, first, _about(unit, source, at))
        first += blocks[at].count
    # Outlining may enter any block, or continue there. Other functions need the entries only.
    entered = shapes if unit.options.enter == "apart" else graph.entries
    continued = shapes if unit.options.enter == "apart" else ()
    size = graph.function.state
    some = BlockBuilder(_context(unit, graph.blocks[min(shapes)]), BlockState())
    return FunctionIR(
        unit.title,
        graph.function.start,
        graph.heads,
        {at: entry_of(unit, some, at, shapes[at]) for at in entered},
        {at: Continuation(at, shapes[at], state_of(shapes[at]).stores(size)) for at in continued},
        (Region("", tuple(sorted(graph.entries)), blocks),),
    )


def shapes_of(unit: FunctionUnit) -> dict[int, Shape]:
    """Return the shape at the start of each block of a function, by position."""
    start = unit.graph.function.start
    without = {place - start for place in unit.options.without}

    def walk(block: CodeBlock, shape: Shape) -> dict[int, Shape]:
        return translate_block(_context(unit, block), state_of(shape)).edges

    return solve(unit.graph, walk, without)


def _context(unit: FunctionUnit, block: CodeBlock) -> BlockContext:
    return BlockContext(unit, block, count(), note_edge, analyzes=True)


def _block(
    unit: FunctionUnit, block: CodeBlock, shapes: Mapping[int, Shape], first: int, about: str
) -> IrBlock:
    numbers = count(first)
    context = BlockContext(unit, block, numbers, lambda b, to: add_edge(b, to, shapes.get(to)))
    b = translate_block(context, state_of(shapes[block.at]))
    return IrBlock(
        block.at,
        about,
        shapes[block.at],
        tuple(b.operations),
        tuple(b.variables),
        first,
        next(numbers) - first,
    )


def _about(unit: FunctionUnit, source: Sequence[str], at: int) -> str:
    line = unit.graph.function.lines[at]
    beside = source[line - 1].strip() if 0 < line <= len(source) else ""
    return f"{line}: {beside}".rstrip().rstrip("\\")
