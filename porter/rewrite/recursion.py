"""Finds recursion that nothing bounds: cycles of the call graph without a stack check."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from porter.rewrite.facts import UnitFacts

if TYPE_CHECKING:
    from networkx import DiGraph

# Functions by which the program itself bounds its recursion (upstream py/cstack.h, stackctrl.h).
GUARDS = frozenset({"mp_cstack_check", "mp_stack_check"})
_POINTER = "*"  # stands for every function that a call through a pointer may reach


def unguarded_recursion(units: Iterable[UnitFacts]) -> frozenset[str]:
    """Functions to check so that every cycle of calls passes a check.

    Without a program that guards any recursion there is nothing to raise with, and the result
    is empty. Calls through pointers may reach every function whose address is taken. What
    calls through a pointer is checked rather than what is called: there are fewer of those.
    """
    units = list(units)
    guarded = {
        function.key
        for unit in units
        for function in unit.functions
        if any(name.rpartition(":")[2] in GUARDS for name in function.calls)
    }
    if not guarded:
        return frozenset()
    graph = _call_graph(units)
    _stop(graph, guarded)  # a cycle through one of them is bounded
    checked: set[str] = set()
    while cycles := _recursive(graph):
        for members in cycles:
            chosen = _choose(graph, members)
            checked |= chosen
            _stop(graph, chosen)
    return frozenset(checked)


def _call_graph(units: Iterable[UnitFacts]) -> DiGraph[str]:
    """Who calls whom, of the functions that the program defines."""
    import networkx  # slow to load, and most commands rewrite nothing

    graph: DiGraph[str] = networkx.DiGraph()
    graph.add_nodes_from([_POINTER, *(f.key for unit in units for f in unit.functions)])
    for unit in units:
        graph.add_edges_from((_POINTER, name) for name in unit.addressed if name in graph)
        for function in unit.functions:
            graph.add_edges_from((function.key, name) for name in function.calls if name in graph)
            if function.indirect:
                graph.add_edge(function.key, _POINTER)
    return graph


def _stop(graph: DiGraph[str], keys: set[str]) -> None:
    """Takes the calls that some functions make out of the graph."""
    graph.remove_edges_from(list(graph.out_edges(keys)))


def _recursive(graph: DiGraph[str]) -> list[set[str]]:
    """The strongly connected components that hold a cycle."""
    import networkx

    return [
        members
        for members in networkx.strongly_connected_components(graph)
        if len(members) > 1 or any(graph.has_edge(key, key) for key in members)
    ]


def _choose(graph: DiGraph[str], members: set[str]) -> set[str]:
    """Some members of a component whose check breaks cycles of it."""
    if _POINTER in members:
        return {key for key in graph.predecessors(_POINTER) if key in members} - {_POINTER}
    itself = {key for key in members if graph.has_edge(key, key)}
    if itself:
        return itself
    return {max(sorted(members), key=lambda key: _ways_through(graph, key, members))}


def _ways_through(graph: DiGraph[str], key: str, members: set[str]) -> int:
    """How many ways of two calls lead through a member inside its component."""
    return len(members & graph.pred[key].keys()) * len(members & graph.succ[key].keys())
