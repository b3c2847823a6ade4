"""Changes of static storage that a function leaves behind, over the whole program.

`porter.rewrite.pairs` asks it which call opens what another call closes: `gc_lock` counts a field
up and `gc_unlock` counts it down, whatever the two are called.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from attrs import field, frozen

from porter.rewrite.changes import ADD, AND, OR, SET, StateStep

MIXED = "mixed"  # several writes in branches: a helper that opens or closes, by the state it finds
_ROUNDS = 16  # calls of helpers by helpers, at most


@frozen
class Effects:
    """Return the calls change for good.

    Attributes:
        changes: The changes of static storage that a call of a function leaves, by its key.
        getters: The path that a function returns and does nothing else, by its key.
        keepers: The paths whose values a field keeps somewhere in the program, by its last name.
    """

    changes: Mapping[str, tuple[StateStep, ...]] = field(factory=dict)
    getters: Mapping[str, str] = field(factory=dict)
    keepers: Mapping[str, tuple[str, ...]] = field(factory=dict)

    def slice(self, names: Collection[str]) -> Effects:
        """Return the effects of some functions; fields that keep values stay."""
        return Effects(
            {key: steps for key, steps in self.changes.items() if key in names},
            {key: path for key, path in self.getters.items() if key in names},
            self.keepers,
        )

    def read_from(self, source: str) -> str:
        """Return the path that a value was read from, of `FunctionChanges.saved`'s sources."""
        key = source.removeprefix("call ")
        return self.getters.get(key, "") if key != source else source


@frozen
class Writes:
    """The facts of one function: its writes to static storage and what it keeps of it."""

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
    # Functions that may raise call back and forth: what they call is not followed.
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
    """Whether one change takes another one back: opposite amounts, or bits set and cleared."""
    if one.how == other.how == ADD:
        return int(one.value) == -int(other.value)
    if {one.how, other.how} != {OR, AND}:
        return False
    return int(one.value) + int(other.value) + 1 in (0, *(1 << bits for bits in (8, 16, 32, 64)))


def _turning(writes: Iterable[Writes]) -> set[str]:
    """Paths that are counted up in one place and down in another one."""
    ways: dict[str, set[bool]] = {}
    for function in writes:
        for step in function.steps:
            if step.how == ADD:
                ways.setdefault(step.path, set()).add(int(step.value) > 0)
    return {path for path, signs in ways.items() if len(signs) == 2}


def _reached(
    calls: Iterable[str], writes: Writes, changes: Mapping[str, tuple[StateStep, ...]]
) -> dict[str, list[StateStep]]:
    """Return the changes of a function and of what it calls, by path."""
    found: dict[str, list[StateStep]] = {}
    for step in (*writes.steps, *(step for key in calls for step in changes.get(key, ()))):
        found.setdefault(step.path, []).append(step)
    return found


def _left(
    raises: bool, steps: Mapping[str, list[StateStep]], turning: Collection[str]
) -> tuple[StateStep, ...]:
    """What is left of a function's changes: those that it takes back itself are not.

    Of a function that may raise only a single count or bit is followed: its other changes are the
    interpreter's work, and are no lock's.
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
