"""Profitability: choose the functions to compile to native code, and the positions of entry.

cxx.py asks for the profitable entries of each function, and then whether to compile the function.
"""

from __future__ import annotations

from collections.abc import Set

from porter.compiler.graph import CodeBlock, Graph
from porter.compiler.mpy import BytecodeFunction, BytecodeInstruction, BytecodeModule
from porter.compiler.opcodes import CALLS, JUMPS, NAMESPACE, NATIVE
from porter.compiler.options import SEEN_OTHER, CompilerOptions


def _is_class(function: BytecodeFunction) -> bool:
    """Return whether it is a class body: of functions, only these keep their names in a dict."""
    return any(it.name in NAMESPACE for it in function.code)


LEAST = 12.0  # instructions: with fewer, entering and leaving cost more than native code gains
LOOP = 4 * LEAST  # instructions that a loop counts as
CALL = 6.0  # instructions that a call counts as, since the callee may be native code too
# The same on a GPU, where lanes wait for each other before they enter and diverge when they leave.
LEAST_APART = 2 * LEAST
OBJECTS = 1 / 8  # share of object-creating instructions: above, objects take most of a loop's time


def profitable_entries(graph: Graph, options: CompilerOptions) -> frozenset[int]:
    """Return the entries that native code can follow for LEAST instructions or more.

    LEAST is compared with the average over the control flow paths that follow, up to an instruction
    that the interpreter must run. A function's start also qualifies if RETURN_VALUE is reachable
    from it, because native callers enter it.

    The rules for a GPU (`options.enter` is "apart") are stricter:

    * The code for a further entry costs more than interpreting the few instructions up to the next
      entry. Hence positions behind calls and loops (`Graph.behind`) are no entries.
    * A loop with instructions for the interpreter, such as `yield`, counts as the number of
      instructions between two of them.
    * A loop that mostly creates strings or large integers counts as 0, because these loops were
      faster as bytecode (docs/lab/compiled.md).
    * A function with loops has no entries at all if none of its loops qualifies.

    Args:
        graph: Blocks and possible entries of the function.
        options: Type feedback, and how native code is entered.
    """
    import networkx  # slow to load, and most commands compile nothing

    apart = options.enter == "apart"
    ways: networkx.DiGraph[int] = networkx.DiGraph()
    ways.add_nodes_from(graph.blocks)
    for block in graph.blocks.values():
        ways.add_edges_from((block.at, to) for to in block.followers if to in graph.blocks)
    length: dict[int, float] = {}
    for inside in networkx.strongly_connected_components(ways):  # successors come first
        loops = len(inside) > 1 or any(ways.has_edge(at, at) for at in inside)
        most = _of_loop(graph, inside, options) if loops and apart else LOOP
        for at in inside:
            block = graph.blocks[at]
            after = sum(length.get(to, 0.0) for to in block.followers)
            length[at] = most if loops else _weight(block) + after / max(1, len(block.followers))
    found = {at for at, on in length.items() if on >= (LEAST_APART if apart else LEAST)}
    if apart and graph.again and not found & graph.again:
        return frozenset()
    if 0 in graph.blocks and not graph.function.generator:
        reached = {0, *networkx.descendants(ways, 0)}
        if any(graph.blocks[at].last.name == "RETURN_VALUE" for at in reached):
            found.add(0)
    return graph.entries & found - (graph.behind if apart else frozenset())


def _weight(block: CodeBlock) -> float:
    return sum(CALL if it.name in CALLS else 1.0 for it in block.code)


def _of_loop(graph: Graph, inside: Set[int], options: CompilerOptions) -> float:
    """Return the number of instructions that the loop with the blocks `inside` counts as."""
    code = [it for at in inside for it in graph.blocks[at].code]
    if sum(_makes_object(it, graph.function, options) for it in code) >= OBJECTS * len(code):
        return 0.0
    heads = graph.heads & inside
    ends = (it.at for it in graph.function.code if it.name in JUMPS and it.argument in heads)
    end = max(ends, default=0)
    whole = [block for at, block in graph.blocks.items() if min(inside) <= at <= end]
    stops = sum(block.at in graph.again and block.last.name not in NATIVE for block in whole)
    return sum(map(_weight, whole)) / stops if stops else LOOP


def _makes_object(
    it: BytecodeInstruction, function: BytecodeFunction, options: CompilerOptions
) -> bool:
    """Return whether an instruction creates an object: always, or according to type feedback."""
    place = function.start + it.next
    seen = options.hints[place] if place < len(options.hints) else 0
    made = it.name in ("BINARY_OP", "LOAD_SUBSCR") and bool(seen & SEEN_OTHER)
    return made or it.name.startswith("BUILD_")


def is_profitable(graph: Graph, module: BytecodeModule, options: CompilerOptions) -> bool:
    """Return whether native code of a function may be faster than its bytecode."""
    if options.enter == "everywhere":
        return True
    function = graph.function
    if function is not module.functions[0] and _is_class(function):
        return False  # a class body runs once
    seen = options.hints[function.start : function.start + function.code[-1].next]
    return not options.hints or any(seen)  # marked by porter/native/compilation.py, or nothing is
