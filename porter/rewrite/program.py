"""Merge the facts of all units into the view of the whole program that the rules read.

The view includes the operations that compute sizes of allocations, for the rule `quantities`.

A backward slice over the data flow of all units (`integer_flow.py`). It starts at the sizes of
allocations and copies, and at operands of bounds checks, because a sum that wraps would pass the
check.

Examples: the functions that may raise, the variables that move into the state, the loops that poll.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from attrs import field, frozen

from porter.rewrite.address_taint import Refused, refused
from porter.rewrite.call_graph import call_targets, unguarded_recursion
from porter.rewrite.facts import UnitFacts, VariableFact
from porter.rewrite.integer_flow import COMPARED, parameter, unit_of
from porter.rewrite.late_constants import late_references
from porter.rewrite.poll_sites import Polls, polled_loops
from porter.rewrite.spelling import cpp_name, identifier
from porter.rewrite.state_changes import Effects, effects

# Size arguments of copies and fills. An allocation has refused a size that is too large before.
COPIES = frozenset(
    parameter(prefix + name, 2)
    for name in ("memcpy", "memmove", "memset")
    for prefix in ("", "porter_", "__builtin_")
)
# The allocators below all others of upstream (py/gc.h, py/pystack.h), and alloca.
ALLOCATIONS = frozenset(
    {
        parameter("gc_alloc", 0),
        parameter("gc_realloc", 1),
        parameter("mp_pystack_alloc", 0),
        parameter("__builtin_alloca", 0),
    }
)


def sized_operations(units: Iterable[UnitFacts]) -> Mapping[str, frozenset[str]]:
    """Return the operations that contribute to a size, by unit."""
    sources: dict[str, list[str]] = {}
    for unit in units:
        for place, source in unit.flows:
            sources.setdefault(place, []).append(source)
    found: dict[str, set[str]] = {}
    seen = {*COPIES, *ALLOCATIONS, COMPARED}
    waiting = list(seen)
    while waiting:
        for source in sources.get(waiting.pop(), ()):
            if source in seen:
                continue
            seen.add(source)
            waiting.append(source)
            unit_name = unit_of(source)
            if unit_name is not None:
                found.setdefault(unit_name, set()).add(source)
    return {name: frozenset(operations) for name, operations in found.items()}


_START = ""  # virtual source node; no key is empty


@frozen
class StateField:
    """A field of the state struct, for one moved variable. Sizes are in bytes."""

    key: str
    name: str
    size: int
    align: int
    unit: str


@frozen
class WholeProgram:
    """The results of the whole-program analyses, as rules read them.

    Attributes:
        raising: Functions that may leave by unwinding.
        guarded: Functions that check the C stack on entry, so that no recursion overflows it.
        polls: The loops that poll, by function key and loop number.
        state: The variables that move into the state struct, by key.
        late: Constants that cannot be const in C++, with the references that are stored at load.
        units_with_init: Units that define an init function for their state.
        units_with_setup: Units that define a setup function for references stored at load.
        sized: The operations that compute a size (`program.py`), by unit.
        targets: The keys of the functions whose address a unit takes, by unit.
        refused: The expressions and functions that a sandbox refuses.
        effects: The net effects of calls on static storage.
    """

    raising: frozenset[str] = frozenset()
    guarded: frozenset[str] = frozenset()
    polls: Polls = field(factory=dict)
    state: Mapping[str, StateField] = field(factory=dict)
    late: Mapping[str, frozenset[str]] = field(factory=dict)
    units_with_init: tuple[str, ...] = ()
    units_with_setup: tuple[str, ...] = ()
    sized: Mapping[str, frozenset[str]] = field(factory=dict)
    targets: Mapping[str, tuple[str, ...]] = field(factory=dict)
    refused: Refused = field(factory=Refused)
    effects: Effects = field(factory=Effects)

    def slice(self, facts: UnitFacts) -> WholeProgram:
        """Return the part on which the rewriting of one unit can depend: its cache key."""
        names = {v.key for v in facts.variables} | {f.key for f in facts.functions}
        for function in facts.functions:
            names.update(function.calls)
        return WholeProgram(
            raising=frozenset(self.raising & names),
            guarded=frozenset(self.guarded & names),
            polls={key: value for key, value in self.polls.items() if key in names},
            state={key: value for key, value in self.state.items() if key in names},
            late={key: value for key, value in self.late.items() if key in names},
            sized={facts.unit: self.sized.get(facts.unit, frozenset())},
            targets={facts.unit: self.targets[facts.unit]} if facts.unit in self.targets else {},
            refused=self.refused.slice(facts.unit, names),
            effects=self.effects.slice(names),
        )


def merge(
    units: Iterable[UnitFacts], *, prune: bool = True, guard: bool = True, saturate: bool = True
) -> WholeProgram:
    """Merge the facts of all units.

    Args:
        units: The facts of all units.
        prune: Whether functions that cannot raise are left unchecked. If off, every function that
            the program defines may raise.
        guard: Whether unguarded recursion gets stack checks. If off, it can overflow the C stack.
        saturate: Whether size arithmetic saturates. If off, it overflows as in C.
    """
    units = list(units)
    state_keys = _moved(units)
    late = late_references(units, state_keys)
    fields = _state_fields(units, state_keys)
    guarded = unguarded_recursion(units) if guard else frozenset()
    polls = polled_loops(units, _raising(units, guarded))
    refusing = refused(units)
    starts = {*guarded, *polls, *refusing.functions}
    raising = _raising(units, starts) if prune else _everything(units)
    functions = (f for unit in units for f in unit.functions)
    return WholeProgram(
        raising=raising,
        guarded=guarded,
        polls=polls,
        state=fields,
        late=late,
        units_with_init=tuple(sorted({f.unit for f in fields.values()})),
        units_with_setup=tuple(
            sorted({v.unit for u in units for v in u.variables if v.defined and late.get(v.key)})
        ),
        sized=sized_operations(units) if saturate else {},
        targets={unit.unit: found for unit in units if (found := call_targets(unit))},
        refused=refusing,
        effects=effects(((f.key, f.calls, f.writes) for f in functions), raising),
    )


def _everything(units: list[UnitFacts]) -> frozenset[str]:
    defined = {f.key for unit in units for f in unit.functions}
    return frozenset(defined.union(*(unit.never_return for unit in units)))


def _raising(units: list[UnitFacts], checking: Collection[str]) -> frozenset[str]:
    """Return the functions that may raise, by key.

    These are noreturn functions such as `longjmp`, functions that call through a pointer, the
    functions of `checking` (which get checks that raise), and all their transitive callers. A
    function that is declared noreturn can leave only by unwinding.
    """
    callers: dict[str, list[str]] = {}
    start: list[str] = [*checking, *(key for unit in units for key in unit.never_return)]
    for unit in units:
        for function in unit.functions:
            if function.indirect:
                start.append(function.key)
            for name in function.calls:
                callers.setdefault(name, []).append(function.key)
    return frozenset(_reached(start, callers))


def _moved(units: list[UnitFacts]) -> set[str]:
    """Return the mutable variables, and transitively the constants that hold their addresses."""
    holders: dict[str, list[str]] = {}
    start: list[str] = []
    for unit in units:
        for variable in unit.variables:
            if variable.mutable and variable.defined:
                start.append(variable.key)
            for name in variable.references:
                holders.setdefault(name, []).append(variable.key)
    return _reached(start, holders)


def _reached(start: Iterable[str], following: Mapping[str, list[str]]) -> set[str]:
    """Return the keys of `start` and all keys reachable from them."""
    import networkx  # slow to load, and most commands rewrite nothing

    graph = networkx.DiGraph(following)
    graph.add_node(_START)
    graph.add_edges_from((_START, key) for key in start)
    return set(networkx.descendants(graph, _START))


def _state_fields(units: list[UnitFacts], keys: set[str]) -> dict[str, StateField]:
    largest: dict[str, VariableFact] = {}
    for unit in units:
        for variable in unit.variables:
            if variable.key in keys and variable.defined:
                known = largest.get(variable.key)
                if known is None or variable.size > known.size:
                    largest[variable.key] = variable
    ordered = sorted(largest.values(), key=lambda v: (-v.align, v.key))
    return {
        v.key: StateField(v.key, cpp_name(identifier(v.key)), v.size, v.align, v.unit)
        for v in ordered
    }
