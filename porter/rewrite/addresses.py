"""Which expressions let a Python program choose an address, and which functions load code.

Upstream never calls a pointer made of an integer anything but that; so what a sandbox refuses is
found by following integers from where Python's objects become C's to the casts that make pointers
or objects of them. See docs/robustness.md for what is not followed.

The collector refuses nothing: an exception would leave the heap half swept. What it makes
pointers of is what C put into the heap itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import field, frozen

from porter.rewrite.facts import UnitFacts
from porter.rewrite.polling import COLLECTOR
from porter.rewrite.provenance import OWN, Conversion, Place, Root

# What makes a function of bytes: the compiler calls them, and so does what reads code.
_MAKERS = ("mp_emit_glue_assign_bytecode", "mp_emit_glue_assign_native")
Graph = Mapping[str, set[str]]


@frozen
class Refused:
    """What a sandbox refuses: expressions by unit, and whole functions that load code, by key.

    `functions` are those that hold such an expression: they may raise.
    """

    places: Mapping[str, tuple[Place, ...]] = field(factory=dict)
    functions: frozenset[str] = frozenset()
    loaders: frozenset[str] = frozenset()

    def slice(self, unit: str, names: set[str]) -> Refused:
        """What of it one unit's rewriting can depend on."""
        places = {unit: self.places[unit]} if unit in self.places else {}
        return Refused(places, loaders=frozenset(self.loaders & names))


def refused(units: Iterable[UnitFacts]) -> Refused:
    """What of a program a sandbox refuses."""
    units = list(units)
    graph = _graph(units)
    backward = _turned(graph)
    roots = {root.source: (unit.unit, root) for unit in units for root in unit.provenance.roots}
    own = _reached({OWN}, graph, through=False)
    chosen = _reached(set(roots), graph)
    places: dict[str, set[Place]] = {}
    functions: set[str] = set()
    collecting = _collecting(units)
    for unit in units:
        for conversion in unit.provenance.conversions:
            if chosen.isdisjoint(conversion.sources):
                continue
            causes = [roots[s] for s in _reached(set(conversion.sources), backward) if s in roots]
            for name, where in _cuts(unit.unit, conversion, causes, own):
                if where.function not in collecting:
                    places.setdefault(name, set()).add(where.place)
                    functions.add(where.function)
    loaders = _loaders(units)
    return Refused(
        {name: tuple(sorted(found)) for name, found in sorted(places.items())},
        frozenset(functions | loaders),
        loaders,
    )


def _cuts(
    unit: str, conversion: Conversion, causes: list[tuple[str, Root]], own: set[str]
) -> list[tuple[str, Conversion | Root]]:
    """Where to refuse: the cast itself, or what feeds it where pointers of C's own go there too.

    Objects that are small integers without their tag are the interpreter's own notes on its
    stack, and no address.
    """
    if conversion.to_object:
        causes = [cause for cause in causes if cause[1].kind != "untag"]
    if not own.isdisjoint(conversion.sources):
        calls = [cause for cause in causes if cause[1].kind == "call"]
        if len(calls) == len(causes):
            return [*calls]
    return [(unit, conversion)] if causes else []


def _graph(units: list[UnitFacts]) -> dict[str, set[str]]:
    graph: dict[str, set[str]] = {}
    by_signature: dict[str, list[str]] = {}
    addressed = {key for unit in units for key in unit.addressed}
    for unit in units:
        for source, to in unit.provenance.edges:
            graph.setdefault(source, set()).add(to)
        for key, signature in unit.provenance.signatures:
            if key in addressed:
                by_signature.setdefault(signature, []).append(key)
    guards = _guards(units)
    for unit in units:
        for argument in unit.provenance.arguments:
            called = by_signature.get(argument.to, []) if argument.by_pointer else [argument.to]
            constants = dict(argument.constants)
            into = graph.setdefault(argument.source, set())
            for key in called:
                name = f"p:{key}#{argument.position}"
                into.add(name)
                for position, value in guards.get(name, ()):
                    if constants.get(position, value) == value:
                        into.add(f"{name}|{position}={value}")
    return graph


def _guards(units: list[UnitFacts]) -> dict[str, set[tuple[int, int]]]:
    """What guards casts of parameters: by parameter the positions and values of others."""
    guards: dict[str, set[tuple[int, int]]] = {}
    sources = (s for u in units for c in u.provenance.conversions for s in c.sources if "|" in s)
    for source in sources:
        name, _, guard = source.partition("|")
        position, _, value = guard.partition("=")
        guards.setdefault(name, set()).add((int(position), int(value)))
    return guards


def _turned(graph: Graph) -> dict[str, set[str]]:
    turned: dict[str, set[str]] = {}
    for source, targets in graph.items():
        for to in targets:
            turned.setdefault(to, set()).add(source)
    return turned


def _reached(start: set[str], graph: Graph, *, through: bool = True) -> set[str]:
    """All that `start` flows to; with `through` off not what is read through a pointer."""
    found = set(start)
    waiting = list(start)
    while waiting:
        for to in graph.get(waiting.pop(), ()):
            if to not in found and (through or not to.startswith("*")):
                found.add(to)
                waiting.append(to)
    return found


def _collecting(units: list[UnitFacts]) -> set[str]:
    """The collector: its entries, and the functions that nothing else calls, by name or pointer."""
    callers: dict[str, set[str]] = {}
    for unit in units:
        for function in unit.functions:
            for name in function.calls:
                callers.setdefault(name, set()).add(function.key)
    addressed = {key for unit in units for key in unit.addressed}
    found = set(COLLECTOR)
    while True:
        more = {
            key
            for key, names in callers.items()
            if key not in found and key not in addressed and names <= found
        }
        if not more:
            return found
        found |= more


def _loaders(units: list[UnitFacts]) -> frozenset[str]:
    """The outermost functions that read code through a reader, by key."""
    callers: dict[str, set[str]] = {}
    for unit in units:
        for function in unit.functions:
            for name in function.calls:
                callers.setdefault(name, set()).add(function.key)
    makers = {name for name in _MAKERS if name in callers}
    readers = {key for unit in units for key in unit.provenance.readers}
    loading = readers & _reached(makers, callers)
    return frozenset(key for key in loading if not callers.get(key, set()) & loading - {key})
