"""The decisions of a generated program, drawn from a seed or read from a list.

The reducer works on this list: a shorter list with smaller numbers is a smaller program. Therefore
0 selects the simplest alternative everywhere, and an exhausted list yields zeros.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Choices:
    """A source of decisions that records them.

    Attributes:
        taken: Numbers returned so far. `Choices(values=taken)` returns the same numbers again.
    """

    def __init__(self, seed: str = "", values: Sequence[int] | None = None) -> None:
        self._random = Random(seed)
        self._values = values
        self.taken: list[int] = []

    def below(self, bound: int) -> int:
        """Return a number from 0 to `bound` - 1."""
        if self._values is None:
            value = self._random.randrange(bound)
        else:
            at = len(self.taken)
            value = min(self._values[at], bound - 1) if at < len(self._values) else 0
        self.taken.append(value)
        return value

    def between(self, low: int, high: int) -> int:
        """Return a number from `low`, the simplest, to `high` inclusive."""
        return low + self.below(high - low + 1)

    def pick(self, items: Sequence[T]) -> T:
        """Return one of `items`, the simplest first."""
        return items[self.below(len(items))]

    def chance(self, percent: int) -> bool:
        """Return True in `percent` of 100 cases; False is the simplest."""
        return self.below(100) >= 100 - percent

    def weighted(self, items: Sequence[tuple[int, T]]) -> T:
        """Return an item of the (weight, item) pairs, the simplest first."""
        at = self.below(sum(weight for weight, _ in items))
        for weight, item in items:
            if at < weight:
                return item
            at -= weight
        raise AssertionError("no item")

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in some order; the given order is the simplest."""
        rest = list(items)
        return [rest.pop(self.below(len(rest))) for _ in items]
