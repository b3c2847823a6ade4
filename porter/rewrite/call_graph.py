"""The call graph of the program: possible targets of indirect calls, and unbounded recursion.

A recursion is unbounded if its cycle has no check of the C stack.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from porter.rewrite.facts import UnitFacts

if TYPE_CHECKING:
    from networkx import DiGraph

# Slots per target. With this load factor, 90 % of lookups hit in the first slot.
_SLOTS_A_TARGET = 4


def call_targets(facts: UnitFacts) -> tuple[str, ...]:
    """Return the sorted keys of the functions whose address a unit takes.

    A static function that is declared but never defined is left out: it has no address, and only
    dead code can name it.
    """
    defined = {function.key for function in facts.functions}
    return tuple(
        sorted(key for key in facts.addressed if ":" not in key or key in defined),
    )


def table_bits(targets: Mapping[str, tuple[str, ...]]) -> int:
    """Return the base-2 logarithm of the number of slots in the target table."""
    count = len(set().union(*targets.values())) + 1  # the first slot is never a target's
    return max(4, (_SLOTS_A_TARGET * count - 1).bit_length())


# Functions by which upstream bounds recursion (py/cstack.h, py/stackctrl.h).
GUARDS = frozenset({"mp_cstack_check", "mp_stack_check"})
_POINTER = "*"  # any function that an indirect call may reach


def unguarded_recursion(units: Iterable[UnitFacts]) -> frozenset[str]:
    """Return functions that need a stack check so that every cycle of calls has one.

    An indirect call may reach every function whose address is taken. In cycles through such calls,
    the callers are checked and not the targets, because there are fewer callers.

    Returns:
        Keys of functions. Empty if the program has no stack check at all, because it then has no
        way to raise the error.
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
    """Return the call graph of the functions that the program defines."""
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
    """Remove the calls that some functions make from the graph."""
    graph.remove_edges_from(list(graph.out_edges(keys)))


def _recursive(graph: DiGraph[str]) -> list[set[str]]:
    """Return the strongly connected components that contain a cycle."""
    import networkx

    return [
        members
        for members in networkx.strongly_connected_components(graph)
        if len(members) > 1 or any(graph.has_edge(key, key) for key in members)
    ]


def _choose(graph: DiGraph[str], members: set[str]) -> set[str]:
    """Return members of a component whose checks break some of its cycles."""
    if _POINTER in members:
        return {key for key in graph.predecessors(_POINTER) if key in members} - {_POINTER}
    itself = {key for key in members if graph.has_edge(key, key)}
    if itself:
        return itself
    return {max(sorted(members), key=lambda key: _ways_through(graph, key, members))}


def _ways_through(graph: DiGraph[str], key: str, members: set[str]) -> int:
    """Return the number of two-call paths through a member inside its component."""
    return len(members & graph.pred[key].keys()) * len(members & graph.succ[key].keys())
