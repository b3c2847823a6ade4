"""The decisions of a generated program, drawn from a seed or read from a list, and their reduction.

A reduction tries fewer and smaller decisions that keep a finding.

The reducer works on a list of decisions: a shorter list with smaller numbers is a smaller program.
Therefore 0 selects the simplest alternative everywhere, and an exhausted list yields zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Generic, Protocol, TypeVar

from attrs import define, field

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


class Drawn(Protocol):
    """A generated program: the choices that made it, and the size of its text."""

    @property
    def choices(self) -> tuple[int, ...]: ...
    @property
    def size(self) -> int: ...


AnyProgram = TypeVar("AnyProgram", bound=Drawn)


def reduce(
    program: AnyProgram,
    generate: Callable[[Choices], AnyProgram],
    still: Callable[[AnyProgram], bool],
    most: int = 200,
) -> AnyProgram:
    """Return the smallest program with the finding after at most `most` attempts.

    Every attempt is a complete program of `generate`. So no attempt has undefined behaviour, which
    deleting lines of text could introduce.

    Args:
        program: Program to reduce.
        generate: Builds a program from choices.
        still: Whether a program has the finding.
        most: Maximum number of attempts.
    """
    search = _Search(program, generate, still, most)
    before = None
    while before is not search.best:
        before = search.best
        block = max(1, len(before.choices) // 2)
        while block:
            search.without(block)
            search.zeroed(block)
            block //= 2
    return search.best


@define
class _Search(Generic[AnyProgram]):
    best: AnyProgram
    generate: Callable[[Choices], AnyProgram]
    still: Callable[[AnyProgram], bool]
    left: int
    seen: set[tuple[int, ...]] = field(factory=set)

    def without(self, block: int) -> None:
        """Remove runs of `block` choices wherever the finding stays."""
        at = 0
        while at < len(self.best.choices) and self.left:
            values = self.best.choices
            if not self._try((*values[:at], *values[at + block :])):
                at += block

    def zeroed(self, block: int) -> None:
        """Set runs of `block` choices to 0, the simplest."""
        for at in range(0, len(self.best.choices), block):
            values = self.best.choices
            if self.left and any(values[at : at + block]):
                zeros = (0,) * len(values[at : at + block])
                self._try((*values[:at], *zeros, *values[at + block :]))

    def _try(self, values: Sequence[int]) -> bool:
        """Return whether these choices make a smaller program that still has the finding."""
        candidate = self.generate(Choices(values=values))
        if candidate.choices in self.seen or _weight(candidate) >= _weight(self.best):
            return False
        self.seen.add(candidate.choices)
        self.left -= 1
        if not self.still(candidate):
            return False
        self.best = candidate
        return True


def _weight(program: Drawn) -> tuple[int, int, int]:
    return program.size, len(program.choices), sum(program.choices)
