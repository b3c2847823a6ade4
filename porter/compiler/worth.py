"""Which functions machine code makes faster, and where it is worth entering it."""

from __future__ import annotations

import networkx

from porter.compiler.effects import CALLS
from porter.compiler.graph import LOCAL_NAMES, Graph
from porter.compiler.mpy import BytecodeFunction, BytecodeModule
from porter.compiler.options import CompilerOptions, Enter


def _is_class(function: BytecodeFunction) -> bool:
    """Whether it is a class's body: no other function has names of its own in a dict."""
    return any(it.name in LOCAL_NAMES for it in function.code)


LEAST = 12.0  # instructions, for which entering and leaving costs what machine code gains
LOOP = 4 * LEAST  # instructions that a loop counts as,
CALL = 6.0  # and a call, which may be machine code too


def worth_entering(graph: Graph, enter: Enter) -> frozenset[int]:
    """The entries from which machine code goes on for a while before the interpreter must run.

    That is LEAST instructions on an average of the ways. A function's start also counts where its
    end can be reached, for callers that are machine code. On a GPU ("apart") code that is there for
    one more entry costs more than the few turns of the interpreter until the next: what lies behind
    calls and loops is no entry there.
    """
    ways: networkx.DiGraph[int] = networkx.DiGraph()
    ways.add_nodes_from(graph.blocks)
    for block in graph.blocks.values():
        ways.add_edges_from((block.at, to) for to in block.followers if to in graph.blocks)
    length: dict[int, float] = {}
    for inside in networkx.strongly_connected_components(ways):  # those that lead nowhere first
        loops = len(inside) > 1 or any(ways.has_edge(at, at) for at in inside)
        for at in inside:
            block = graph.blocks[at]
            own = sum(CALL if it.name in CALLS else 1.0 for it in block.code)
            after = sum(length.get(to, 0.0) for to in block.followers)
            length[at] = LOOP if loops else own + after / max(1, len(block.followers))
    found = {at for at, instructions in length.items() if instructions >= LEAST}
    if 0 in graph.blocks and not graph.function.generator:
        reached = {0, *networkx.descendants(ways, 0)}
        if any(graph.blocks[at].last.name == "RETURN_VALUE" for at in reached):
            found.add(0)
    return graph.entries & found - (graph.behind if enter == "apart" else frozenset())


def is_worth_it(graph: Graph, module: BytecodeModule, options: CompilerOptions) -> bool:
    """Whether machine code of a function may be faster."""
    if options.enter == "everywhere":
        return True
    function = graph.function
    if function is not module.functions[0] and _is_class(function):
        return False  # it runs once
    seen = options.hints[function.start : function.start + function.code[-1].next]
    return not options.hints or any(seen)  # somebody has run it
