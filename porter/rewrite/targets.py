"""What a call through a pointer may reach: the functions whose address the program takes."""

from __future__ import annotations

from collections.abc import Mapping

from porter.rewrite.facts import UnitFacts

# Empty slots for each full one: a lookup then finds nine targets of ten at its first slot.
_SLOTS_A_TARGET = 4


def call_targets(facts: UnitFacts) -> tuple[str, ...]:
    """The functions whose address a unit takes, by key, sorted.

    A static function that is declared and never defined has no address: only code that never
    runs can take it.
    """
    defined = {function.key for function in facts.functions}
    return tuple(
        sorted(key for key in facts.addressed if ":" not in key or key in defined),
    )


def table_bits(targets: Mapping[str, tuple[str, ...]]) -> int:
    """The logarithm of the number of slots that the table of all units' targets has."""
    count = len(set().union(*targets.values())) + 1  # the first slot is never a target's
    return max(4, (_SLOTS_A_TARGET * count - 1).bit_length())
