"""Which functions machine code makes faster."""

from __future__ import annotations

from collections.abc import Set

from porter.compiler.graph import LOCAL_NAMES, Graph
from porter.compiler.mpy import BytecodeFunction, BytecodeModule
from porter.compiler.options import CompilerOptions

_WORTH = frozenset(
    ["BINARY_OP", "UNARY_OP", "LOAD_SUBSCR", "STORE_SUBSCR", "LOAD_ATTR", "STORE_ATTR"]
)
_LOADS = frozenset(["LOAD_NAME", "LOAD_GLOBAL"])


def classes_of(module: BytecodeModule) -> frozenset[str]:
    """The names of a module's classes."""
    names = {module.names[it.name] for it in module.functions[1:] if _is_class(it)}
    return frozenset(name for name in names if name is not None)


def _is_class(function: BytecodeFunction) -> bool:
    """Whether it is a class's body: no other function has names of its own in a dict."""
    return any(it.name in LOCAL_NAMES for it in function.code)


def is_worth_it(
    graph: Graph, module: BytecodeModule, classes: Set[str], options: CompilerOptions
) -> bool:
    """Whether machine code of a function may be faster."""
    if options.enter == "everywhere":
        return True
    function = graph.function
    if function is not module.functions[0] and _is_class(function):
        return False  # it runs once
    seen = options.hints[function.start : function.start + function.code[-1].next]
    if options.hints and not any(seen):
        return False  # nobody has run it
    # The interpreter makes a class's objects: handing over and back is to be worth it.
    made = sum(it.name in _LOADS and module.names[it.argument] in classes for it in function.code)
    operators = sum(it.name in _WORTH for it in function.code)
    return bool(graph.again) or not made or operators > 2 * made
