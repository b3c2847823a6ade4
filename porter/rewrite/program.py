"""Facts of the whole program, merged from all units: who may raise, what is state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import field, frozen

from porter.rewrite.facts import UnitFacts, VariableFact
from porter.rewrite.names import cpp_name, identifier
from porter.rewrite.recursion import unguarded_recursion


@frozen
class StateField:
    """One field of the state struct: a moved variable. Sizes are bytes."""

    key: str
    name: str
    size: int
    align: int
    unit: str


@frozen
class Program:
    """What rules ask about other units.

    `raising`: functions that may leave by unwinding. `guarded`: functions that must look at the
    C stack first, so that no recursion can overflow it. `state`: moved variables by key.
    `late`: constants that cannot be const in C++, with the variables they must name later.
    """

    raising: frozenset[str] = frozenset()
    guarded: frozenset[str] = frozenset()
    state: Mapping[str, StateField] = field(factory=dict)
    late: Mapping[str, frozenset[str]] = field(factory=dict)
    units_with_init: tuple[str, ...] = ()
    units_with_setup: tuple[str, ...] = ()

    def slice(self, facts: UnitFacts) -> Program:
        """What of this program one unit's rewriting can depend on; the key of its cache."""
        names = {v.key for v in facts.variables} | {f.key for f in facts.functions}
        for function in facts.functions:
            names.update(function.calls)
        return Program(
            raising=frozenset(self.raising & names),
            guarded=frozenset(self.guarded & names),
            state={key: value for key, value in self.state.items() if key in names},
            late={key: value for key, value in self.late.items() if key in names},
        )


def merge(units: Iterable[UnitFacts], *, prune: bool = True, guard: bool = True) -> Program:
    """Merges facts; with `prune` off every function that the program defines may raise.

    With `guard` off no function looks at the C stack by itself: recursion can overflow it.
    """
    units = list(units)
    state_keys = _moved(units)
    late = _late(units, state_keys)
    fields = _state_fields(units, state_keys)
    guarded = unguarded_recursion(units) if guard else frozenset()
    return Program(
        raising=_raising(units, guarded) if prune else _everything(units),
        guarded=guarded,
        state=fields,
        late=late,
        units_with_init=tuple(sorted({f.unit for f in fields.values()})),
        units_with_setup=tuple(
            sorted({v.unit for u in units for v in u.variables if v.defined and late.get(v.key)})
        ),
    )


def _everything(units: list[UnitFacts]) -> frozenset[str]:
    defined = {f.key for unit in units for f in unit.functions}
    return frozenset(defined.union(*(unit.never_return for unit in units)))


def _raising(units: list[UnitFacts], guarded: frozenset[str]) -> frozenset[str]:
    """Functions that never return (`longjmp`), call through a pointer, or call one that does.

    A function that is declared noreturn leaves by unwinding: that is the only way there is.
    """
    callers: dict[str, list[str]] = {}
    todo: list[str] = [*guarded, *(key for unit in units for key in unit.never_return)]
    for unit in units:
        for function in unit.functions:
            if function.indirect:
                todo.append(function.key)
            for name in function.calls:
                callers.setdefault(name, []).append(function.key)
    return frozenset(_reached(todo, callers))


def _moved(units: list[UnitFacts]) -> set[str]:
    """Mutable variables, and transitively the constants that hold an address of one."""
    holders: dict[str, list[str]] = {}
    todo: list[str] = []
    for unit in units:
        for variable in unit.variables:
            if variable.mutable and variable.defined:
                todo.append(variable.key)
            for name in variable.references:
                holders.setdefault(name, []).append(variable.key)
    return _reached(todo, holders)


def _reached(todo: list[str], following: Mapping[str, list[str]]) -> set[str]:
    """All keys of `todo`, which is used up, and what follows them, transitively."""
    found: set[str] = set()
    while todo:
        key = todo.pop()
        if key not in found:
            found.add(key)
            todo.extend(following.get(key, ()))
    return found


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


def _late(units: list[UnitFacts], moved: set[str]) -> dict[str, frozenset[str]]:
    """For each unit's cycles of constants: a set of references that breaks them all.

    nvcc refuses a cycle of constants inside one translation unit (and a self-reference
    anywhere), so these references are stored by a setup function instead. So is one to an
    object that is defined further down and ends in a flexible array: nvcc 13.0 gives the two
    mentions different types and stops ("initializer type does not match").
    """
    late: dict[str, frozenset[str]] = {}
    for unit in units:
        late.update(_tables_in_tables(unit, moved))
        late.update(_forward_to_flexible(unit, moved))
        graph = {
            v.key: set(v.references) - late.get(v.key, frozenset())
            for v in unit.variables
            if v.defined and not v.mutable and v.key not in moved
        }
        while True:
            cycle = _find_cycle(graph)
            if not cycle:
                break
            members = set(cycle)
            chosen = max(sorted(members), key=lambda key: len(graph[key] & members))
            cut = graph[chosen] & members
            late[chosen] = late.get(chosen, frozenset()) | cut
            graph[chosen] -= cut
    return late


def _tables_in_tables(unit: UnitFacts, moved: set[str]) -> dict[str, frozenset[str]]:
    """Records that an array names, and that name an object themselves or end in a flexible array.

    nvcc 13.0 folds such a record into the array and then calls the array dynamically
    initialised; it leaves a record alone that is not const.
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


def _find_cycle(graph: Mapping[str, set[str]]) -> list[str]:
    """Some cycle of `graph`, as the list of its members, or an empty list."""
    done: set[str] = set()
    for root in sorted(graph):
        path: list[str] = []
        on_path: set[str] = set()
        stack: list[tuple[str, list[str]]] = [(root, sorted(graph[root]))]
        path.append(root)
        on_path.add(root)
        while stack:
            key, rest = stack[-1]
            if not rest or key in done:
                stack.pop()
                on_path.discard(path.pop())
                done.add(key)
                continue
            following = rest.pop()
            if following in on_path:
                return path[path.index(following) :]
            if following in graph and following not in done:
                stack.append((following, sorted(graph[following])))
                path.append(following)
                on_path.add(following)
    return []
