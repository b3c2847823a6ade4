"""Which functions machine code makes faster, and where it is worth entering it."""

from __future__ import annotations

from collections.abc import Set

from porter.compiler.effects import CALLS, JUMPS, KNOWN
from porter.compiler.graph import LOCAL_NAMES, CodeBlock, Graph
from porter.compiler.mpy import BytecodeFunction, BytecodeInstruction, BytecodeModule
from porter.compiler.options import SEEN_OTHER, CompilerOptions


def _is_class(function: BytecodeFunction) -> bool:
    """Whether it is a class's body: no other function has names of its own in a dict."""
    return any(it.name in LOCAL_NAMES for it in function.code)


LEAST = 12.0  # instructions, for which entering and leaving costs what machine code gains
LOOP = 4 * LEAST  # instructions that a loop counts as,
CALL = 6.0  # and a call, which may be machine code too
# On a GPU, where lanes wait for each other before they enter and part when they leave.
LEAST_APART = 2 * LEAST
BACK = JUMPS | {"JUMP"}
OBJECTS = 1 / 8  # of a loop's instructions that make objects: most time goes into these then


def worth_entering(graph: Graph, options: CompilerOptions) -> frozenset[int]:
    """The entries from which machine code goes on for a while before the interpreter must run.

    That is LEAST instructions on an average of the ways. A function's start also counts where its
    end can be reached, for callers that are machine code.

    On a GPU ("apart") code that is there for one more entry costs more than the few turns of the
    interpreter until the next: what lies behind calls and loops is no entry. Loops in which the
    interpreter must run something, such as `yield`, count as the instructions between two such, and
    those that mostly make texts or large integers not at all: all these were faster without machine
    code (docs/lab/compiled.md). Nor is a function entered that has loops, but none of which machine
    code goes round.
    """
    import networkx  # slow to load, and most commands compile nothing

    apart = options.enter == "apart"
    ways: networkx.DiGraph[int] = networkx.DiGraph()
    ways.add_nodes_from(graph.blocks)
    for block in graph.blocks.values():
        ways.add_edges_from((block.at, to) for to in block.followers if to in graph.blocks)
    length: dict[int, float] = {}
    for inside in networkx.strongly_connected_components(ways):  # those that lead nowhere first
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
    """What a loop counts as whose blocks `inside` machine code goes round."""
    code = [it for at in inside for it in graph.blocks[at].code]
    if sum(_makes_object(it, graph.function, options) for it in code) >= OBJECTS * len(code):
        return 0.0
    heads = graph.heads & inside
    ends = (it.at for it in graph.function.code if it.name in BACK and it.argument in heads)
    end = max(ends, default=0)
    whole = [block for at, block in graph.blocks.items() if min(inside) <= at <= end]
    stops = sum(block.at in graph.again and block.last.name not in KNOWN for block in whole)
    return sum(map(_weight, whole)) / stops if stops else LOOP


def _makes_object(
    it: BytecodeInstruction, function: BytecodeFunction, options: CompilerOptions
) -> bool:
    """Whether an operator or an index was seen to give objects, such as texts and large integers,
    or the instruction makes one in any case."""
    place = function.start + it.next
    seen = options.hints[place] if place < len(options.hints) else 0
    made = it.name in ("BINARY_OP", "LOAD_SUBSCR") and bool(seen & SEEN_OTHER)
    return made or it.name.startswith("BUILD_")


def is_worth_it(graph: Graph, module: BytecodeModule, options: CompilerOptions) -> bool:
    """Whether machine code of a function may be faster."""
    if options.enter == "everywhere":
        return True
    function = graph.function
    if function is not module.functions[0] and _is_class(function):
        return False  # it runs once
    seen = options.hints[function.start : function.start + function.code[-1].next]
    return not options.hints or any(seen)  # somebody has run it
