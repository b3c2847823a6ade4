"""Which functions machine code makes faster."""

from __future__ import annotations

from porter.compiler.graph import LOCAL_NAMES, Graph
from porter.compiler.mpy import BytecodeFunction, BytecodeModule
from porter.compiler.options import CompilerOptions


def _is_class(function: BytecodeFunction) -> bool:
    """Whether it is a class's body: no other function has names of its own in a dict."""
    return any(it.name in LOCAL_NAMES for it in function.code)


def is_worth_it(graph: Graph, module: BytecodeModule, options: CompilerOptions) -> bool:
    """Whether machine code of a function may be faster."""
    if options.enter == "everywhere":
        return True
    function = graph.function
    if function is not module.functions[0] and _is_class(function):
        return False  # it runs once
    seen = options.hints[function.start : function.start + function.code[-1].next]
    return not options.hints or any(seen)  # somebody has run it
