"""Every decision of a generated program, drawn from a seed or read from a list.

The list is what the reducer works on: a shorter list with smaller numbers is a smaller program.
So 0 stands for the simplest alternative everywhere, and an exhausted list gives zeros.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Choices:
    """A source of decisions that keeps what it gave.

    `taken` holds the numbers given so far; a `Choices(values=taken)` gives them again.
    """

    def __init__(self, seed: str = "", values: Sequence[int] | None = None) -> None:
        self._random = Random(seed)
        self._values = values
        self.taken: list[int] = []

    def below(self, bound: int) -> int:
        """A number from 0 to `bound` - 1."""
        if self._values is None:
            value = self._random.randrange(bound)
        else:
            at = len(self.taken)
            value = min(self._values[at], bound - 1) if at < len(self._values) else 0
        self.taken.append(value)
        return value

    def between(self, low: int, high: int) -> int:
        """A number from `low` to `high`, both possible; `low` is the simplest."""
        return low + self.below(high - low + 1)

    def pick(self, items: Sequence[T]) -> T:
        """One of `items`; the first is the simplest."""
        return items[self.below(len(items))]

    def chance(self, percent: int) -> bool:
        """True in so many of a hundred cases; False is the simplest."""
        return self.below(100) >= 100 - percent

    def weighted(self, items: Sequence[tuple[int, T]]) -> T:
        """One of (weight, item); the first is the simplest."""
        at = self.below(sum(weight for weight, _ in items))
        for weight, item in items:
            if at < weight:
                return item
            at -= weight
        raise AssertionError("no item")

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in some order; the given one is the simplest."""
        rest = list(items)
        return [rest.pop(self.below(len(rest))) for _ in items]
