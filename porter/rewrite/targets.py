"""Compute the possible targets of indirect calls, and the size of their hash table."""

from __future__ import annotations

from collections.abc import Mapping

from porter.rewrite.facts import UnitFacts

# Slots per target. With this load factor, 90 % of lookups hit in the first slot.
_SLOTS_A_TARGET = 4


def call_targets(facts: UnitFacts) -> tuple[str, ...]:
    """Return the sorted keys of the functions whose address a unit takes.

    A static function that is declared but never defined is left out: it has no address, and only
    dead code can name it.
    """
    defined = {function.key for function in facts.functions}
    return tuple(
        sorted(key for key in facts.addressed if ":" not in key or key in defined),
    )


def table_bits(targets: Mapping[str, tuple[str, ...]]) -> int:
    """Return the base-2 logarithm of the number of slots in the target table."""
    count = len(set().union(*targets.values())) + 1  # the first slot is never a target's
    return max(4, (_SLOTS_A_TARGET * count - 1).bit_length())
