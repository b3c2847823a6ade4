"""Interprocedural effects: the net changes of static storage by a call of each function.

`porter.rewrite.pairs` uses these to match a call that opens a resource with the call that closes
it. `gc_lock` and `gc_unlock` match because one increments the field that the other decrements.
Their names do not matter.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from attrs import field, frozen

from porter.rewrite.changes import ADD, AND, OR, SET, StateStep

MIXED = "mixed"  # several writes in branches: whether the helper opens or closes depends on state
_ROUNDS = 16  # maximum depth of helpers that call helpers


@frozen
class Effects:
    """The net effects of calls on static storage, for the whole program.

    Attributes:
        changes: The changes of static storage that remain after a call, by function key.
        getters: The path that a getter returns, by function key.
        keepers: The paths whose values are saved in a field, by the field's name.
    """

    changes: Mapping[str, tuple[StateStep, ...]] = field(factory=dict)
    getters: Mapping[str, str] = field(factory=dict)
    keepers: Mapping[str, tuple[str, ...]] = field(factory=dict)

    def slice(self, names: Collection[str]) -> Effects:
        """Return the effects of the named functions, with all `keepers`."""
        return Effects(
            {key: steps for key, steps in self.changes.items() if key in names},
            {key: path for key, path in self.getters.items() if key in names},
            self.keepers,
        )

    def read_from(self, source: str) -> str:
        """Return the path of a source in `FunctionChanges.saved`; calls of getters are resolved."""
        key = source.removeprefix("call ")
        return self.getters.get(key, "") if key != source else source


@frozen
class Writes:
    """The accesses of one function to static storage: writes, the getter's path, saved values."""

    steps: tuple[StateStep, ...] = ()
    returned: str = ""
    kept: tuple[tuple[str, str], ...] = ()


def effects(
    functions: Iterable[tuple[str, tuple[str, ...], Writes]], raising: Collection[str]
) -> Effects:
    """Merge the writes of all functions.

    Args:
        functions: Each function's key, the keys of the functions that it calls, and its writes.
        raising: The functions that may leave by unwinding.
    """
    table = {key: (calls, writes) for key, calls, writes in functions}
    turning = _turning(writes for _, writes in table.values())
    changes: dict[str, tuple[StateStep, ...]] = {}
    plain = [key for key in table if key not in raising]
    for _ in range(_ROUNDS):
        following = {key: _left(False, _reached(*table[key], changes), turning) for key in plain}
        following = {key: left for key, left in following.items() if left}
        if following == changes:
            break
        changes = following
    # Callees of functions that may raise are not followed: their call graph is cyclic.
    found = {
        key: _left(True, _reached((), writes, {}), turning)
        for key, (_, writes) in table.items()
        if key in raising
    }
    changes |= {key: left for key, left in found.items() if left}
    getters = {key: writes.returned for key, (_, writes) in table.items() if writes.returned}
    known = Effects(getters=getters)
    keepers: dict[str, dict[str, None]] = {}
    for _, writes in table.values():
        for name, source in writes.kept:
            path = known.read_from(source)
            if path:
                keepers.setdefault(name, {})[path] = None
    return Effects(
        changes, getters, {name: tuple(sorted(paths)) for name, paths in sorted(keepers.items())}
    )


def is_undone(one: StateStep, other: StateStep) -> bool:
    """Return whether one change undoes another: opposite amounts, or bits set and then cleared."""
    if one.how == other.how == ADD:
        return int(one.value) == -int(other.value)
    if {one.how, other.how} != {OR, AND}:
        return False
    return int(one.value) + int(other.value) + 1 in (0, *(1 << bits for bits in (8, 16, 32, 64)))


def _turning(writes: Iterable[Writes]) -> set[str]:
    """Return the paths that the program both increments and decrements."""
    ways: dict[str, set[bool]] = {}
    for function in writes:
        for step in function.steps:
            if step.how == ADD:
                ways.setdefault(step.path, set()).add(int(step.value) > 0)
    return {path for path, signs in ways.items() if len(signs) == 2}


def _reached(
    calls: Iterable[str], writes: Writes, changes: Mapping[str, tuple[StateStep, ...]]
) -> dict[str, list[StateStep]]:
    """Return the changes by a function and by its callees, by path."""
    found: dict[str, list[StateStep]] = {}
    for step in (*writes.steps, *(step for key in calls for step in changes.get(key, ()))):
        found.setdefault(step.path, []).append(step)
    return found


def _left(
    raises: bool, steps: Mapping[str, list[StateStep]], turning: Collection[str]
) -> tuple[StateStep, ...]:
    """Return the net changes of a function, without those that it undoes itself.

    For a function that may raise, only a path with a single count or bit change is kept. Its other
    changes are ordinary work of the interpreter, not locks.
    """
    left: list[StateStep] = []
    for path, changes in steps.items():
        counts = all(step.how == ADD for step in changes)
        if counts and path in turning and (len(changes) == 1 or not raises):
            amount = sum(int(step.value) for step in changes)
            left += [StateStep(ADD, path, str(amount))] if amount else []
        elif counts:
            continue
        elif len(changes) == 1 and (not raises or changes[0].how in (OR, AND)):
            left.append(changes[0])
        elif len(changes) == 2 and is_undone(*changes):
            continue
        elif not raises and path in turning and any(s.how in (ADD, MIXED) for s in changes):
            left.append(StateStep(MIXED, path))
    return tuple(left)


__all__ = ["MIXED", "SET", "Effects", "Writes", "effects", "is_undone"]
