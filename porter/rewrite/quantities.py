"""Which operations of a program make sizes.

A slice goes backwards from what allocates and copies, and from what bounds checks compare: a sum
that wraps would pass the check.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from porter.rewrite.facts import UnitFacts
from porter.rewrite.places import COMPARED, parameter, unit_of

# What copies and clears: a size that reaches one of them was too large before.
COPIES = frozenset(
    parameter(prefix + name, 2)
    for name in ("memcpy", "memmove", "memset")
    for prefix in ("", "porter_", "__builtin_")
)
# What all other allocators of upstream come down to (py/gc.h, py/pystack.h), and the compilers'.
ALLOCATIONS = frozenset(
    {
        parameter("gc_alloc", 0),
        parameter("gc_realloc", 1),
        parameter("mp_pystack_alloc", 0),
        parameter("__builtin_alloca", 0),
    }
)


def sized_operations(units: Iterable[UnitFacts]) -> Mapping[str, frozenset[str]]:
    """The operations on the way to a size, by unit."""
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
