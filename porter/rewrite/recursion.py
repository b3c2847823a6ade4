"""Finds recursion that nothing bounds: cycles of the call graph without a stack check."""

from __future__ import annotations

from collections.abc import Iterable

from porter.rewrite.facts import UnitFacts

# Functions by which the program itself bounds its recursion (upstream py/cstack.h, stackctrl.h).
GUARDS = frozenset({"mp_cstack_check", "mp_stack_check"})
_POINTER = "*"  # stands for every function that a call through a pointer may reach

Graph = dict[str, set[str]]


def unguarded_recursion(units: Iterable[UnitFacts]) -> frozenset[str]:
    """Functions to check so that every cycle of calls passes a check.

    Without a program that guards any recursion there is nothing to raise with, and the result
    is empty. Calls through pointers may reach every function whose address is taken. What
    calls through a pointer is checked rather than what is called: there are fewer of those.
    """
    units = list(units)
    graph: Graph = {_POINTER: set()}
    guarded: set[str] = set()
    for unit in units:
        graph[_POINTER].update(unit.addressed)
        for function in unit.functions:
            edges = graph.setdefault(function.key, set())
            edges.update(function.calls)
            if function.indirect:
                edges.add(_POINTER)
            if any(name.rpartition(":")[2] in GUARDS for name in function.calls):
                guarded.add(function.key)
    if not guarded:
        return frozenset()
    for key in guarded:
        graph[key] = set()  # a cycle through it is bounded
    checked: set[str] = set()
    while cycles := _components(graph):
        for members in cycles:
            chosen = _choose(graph, members)
            checked |= chosen
            for key in chosen:
                graph[key] = set()
    return frozenset(checked)


def _choose(graph: Graph, members: set[str]) -> set[str]:
    """Some members of a component whose check breaks cycles of it."""
    if _POINTER in members:
        return {key for key in members if key != _POINTER and _POINTER in graph[key]}
    itself = {key for key in members if key in graph[key]}
    if itself:
        return itself
    incoming = dict.fromkeys(members, 0)
    for key in members:
        for name in graph[key] & members:
            incoming[name] += 1
    return {max(sorted(members), key=lambda key: incoming[key] * len(graph[key] & members))}


def _components(graph: Graph) -> list[set[str]]:
    """The strongly connected components that hold a cycle (Tarjan's algorithm, iterative)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    on_stack: set[str] = set()
    stack: list[str] = []
    found: list[set[str]] = []
    for root in graph:
        if root in index:
            continue
        work: list[tuple[str, list[str]]] = [(root, sorted(graph[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            key, rest = work[-1]
            if rest:
                following = rest.pop()
                if following not in graph:
                    continue
                if following not in index:
                    index[following] = low[following] = len(index)
                    stack.append(following)
                    on_stack.add(following)
                    work.append((following, sorted(graph[following])))
                elif following in on_stack:
                    low[key] = min(low[key], index[following])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[key])
            if low[key] == index[key]:
                members: set[str] = set()
                while True:
                    member = stack.pop()
                    on_stack.discard(member)
                    members.add(member)
                    if member == key:
                        break
                if len(members) > 1 or key in graph[key]:
                    found.append(members)
    return found
