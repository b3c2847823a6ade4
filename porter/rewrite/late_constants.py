"""Find constants that nvcc cannot initialise, and the references that are stored at load."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from porter.rewrite.facts import UnitFacts

Late = Mapping[str, frozenset[str]]  # constant's key to the keys of references stored at load


def late_references(units: Iterable[UnitFacts], moved: set[str]) -> dict[str, frozenset[str]]:
    """Return the references that a setup function must store, by the constant that has them.

    nvcc refuses a cycle of constants in one translation unit, and a self-reference anywhere. The
    result breaks all cycles. It also contains references to an object that is defined later and
    ends in a flexible array: nvcc 13.0 gives declaration and definition different types
    ("initializer type does not match").

    Args:
        units: The facts of all units.
        moved: The keys of the variables that are in the state.
    """
    late: dict[str, frozenset[str]] = {}
    for unit in units:
        late.update(_tables_in_tables(unit, moved))
        late.update(_forward_to_flexible(unit, moved))
        for key, cut in _cycle_breaking(_references(unit, moved, late)).items():
            late[key] = late.get(key, frozenset()) | cut
    return late


def _references(unit: UnitFacts, moved: set[str], late: Late) -> dict[str, set[str]]:
    """Return the references of each constant of a unit, without those already in `late`."""
    return {
        v.key: set(v.references) - late.get(v.key, frozenset())
        for v in unit.variables
        if v.defined and not v.mutable and v.key not in moved
    }


def _cycle_breaking(references: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Return edges whose removal makes the graph of references acyclic.

    Keys are visited in sorted order, so that the result is deterministic.
    """
    import networkx  # slow to load, and most commands rewrite nothing

    graph = networkx.DiGraph()
    graph.add_nodes_from(sorted(references))
    for key in sorted(references):
        graph.add_edges_from((key, name) for name in sorted(references[key], reverse=True))
    graph.remove_nodes_from(graph.nodes - references.keys())
    cuts: dict[str, set[str]] = {}
    while True:
        try:
            cycle = networkx.find_cycle(graph)
        except networkx.NetworkXNoCycle:
            return cuts
        members = {key for key, _ in cycle}
        chosen = max(sorted(members), key=lambda key: len(members & graph[key].keys()))
        cut = members & graph[chosen].keys()
        cuts.setdefault(chosen, set()).update(cut)
        graph.remove_edges_from([(chosen, name) for name in cut])


def _tables_in_tables(unit: UnitFacts, moved: set[str]) -> dict[str, frozenset[str]]:
    """Return records that must lose their const because an array refers to them.

    These refer to an object themselves, or end in a flexible array. nvcc 13.0 folds such a record
    into the array and then rejects the array as dynamically initialised. It does not fold a
    record that is not const.
    """
    defined = {v.key for v in unit.variables if v.defined}
    named = {key for v in unit.variables if v.array for key in v.references}
    return {
        v.key: frozenset()
        for v in unit.variables
        if v.key in named
        and (defined.intersection(v.references) or (v.flexible and v.key in defined))
        and not (v.mutable or v.array or v.key in moved)
    }


def _forward_to_flexible(unit: UnitFacts, moved: set[str]) -> dict[str, frozenset[str]]:
    defined: set[str] = set()
    flexible = {v.key for v in unit.variables if v.defined and v.flexible}
    found: dict[str, frozenset[str]] = {}
    for variable in unit.variables:
        if not variable.initialised:
            continue
        ahead = (set(variable.references) & flexible) - defined - {variable.key}
        if ahead and not variable.mutable and variable.key not in moved:
            found[variable.key] = frozenset(ahead)
        defined.add(variable.key)
    return found
