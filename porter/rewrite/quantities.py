"""Find the operations of a program that compute sizes, for the rule `quantities`.

A backward slice over the data flow of all units (`flows.py`). It starts at the sizes of allocations
and copies, and at operands of bounds checks, because a sum that wraps would pass the check.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from porter.rewrite.facts import UnitFacts
from porter.rewrite.places import COMPARED, parameter, unit_of

# Sizes of copies and fills. A size that is too large was refused before it reaches one of them.
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
