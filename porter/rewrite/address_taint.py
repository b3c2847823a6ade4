"""Which expressions let a Python program choose an address, and which functions load code.

A taint analysis of the whole program. Sources are the places where a Python object becomes a C
integer. Sinks are casts of integers to pointers or objects. The rule `sandbox` refuses the sinks
that a source reaches. docs/explanation/sandbox.md lists the flows that the analysis ignores.

Input: the provenance of each unit (`provenance.py`). Output: `Refused`, part of `WholeProgram`.

Casts in the collector are never refused: an exception there would leave the heap half swept. The
collector makes pointers only of values that C stored in the heap.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import field, frozen

from porter.rewrite.facts import UnitFacts
from porter.rewrite.poll_sites import COLLECTOR
from porter.rewrite.provenance import OWN, Conversion, Place, Root

# Create a function object from bytecode or native code; called by the compiler and by loaders.
_MAKERS = ("mp_emit_glue_assign_bytecode", "mp_emit_glue_assign_native")
_IMPORT = "mp_import_name"  # loads through a reader of its own
Graph = Mapping[str, set[str]]


@frozen
class Refused:
    """The expressions and functions that a sandbox refuses to execute.

    Attributes:
        places: The refused expressions, as ranges of the text, by unit.
        functions: Keys of all functions that contain a refusal; these may raise.
        loaders: Keys of functions that load code and are refused as a whole.
    """

    places: Mapping[str, tuple[Place, ...]] = field(factory=dict)
    functions: frozenset[str] = frozenset()
    loaders: frozenset[str] = frozenset()

    def slice(self, unit: str, names: set[str]) -> Refused:
        """Return the part on which the rewriting of one unit can depend."""
        places = {unit: self.places[unit]} if unit in self.places else {}
        return Refused(places, loaders=frozenset(self.loaders & names))


def refused(units: Iterable[UnitFacts]) -> Refused:
    """Return the expressions and functions of a program that a sandbox refuses."""
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
    """Return the places at which to refuse a tainted cast, each with its unit.

    Normally the cast is refused. Where pointers that C made itself reach the same cast, the calls
    that introduce the program's integer are refused instead.

    An untagged small integer that is cast to an object is a marker that the interpreter keeps on
    its own stack. It is not an address.
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
    """Return the guards of casts, as (position, value) of the compared parameter, by parameter."""
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
    """Return all nodes reachable from `start`; without `through`, skip reads through pointers."""
    found = set(start)
    waiting = list(start)
    while waiting:
        for to in graph.get(waiting.pop(), ()):
            if to not in found and (through or not to.startswith("*")):
                found.add(to)
                waiting.append(to)
    return found


def _callers(units: list[UnitFacts]) -> dict[str, set[str]]:
    """Return the keys of the functions that call each name."""
    callers: dict[str, set[str]] = {}
    for unit in units:
        for function in unit.functions:
            for name in function.calls:
                callers.setdefault(name, set()).add(function.key)
    return callers


def _collecting(units: list[UnitFacts]) -> set[str]:
    """Return the collector's entry points and the functions that only the collector calls."""
    callers = _callers(units)
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
    """Return the keys of the outermost functions that read code through an `mp_reader_t`."""
    callers = _callers(units)
    callers.pop(_IMPORT, None)  # a function that imports loads nothing from its own reader
    makers = {name for name in _MAKERS if name in callers}
    readers = {key for unit in units for key in unit.provenance.readers}
    loading = readers & _reached(makers, callers)
    return frozenset(key for key in loading if not callers.get(key, set()) & loading - {key})
