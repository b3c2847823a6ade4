"""Reduce a program with a finding: try fewer and smaller choices that keep the finding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from attrs import define, field

from porter_dev.torture.choices import Choices


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
    """Return the smallest program with the finding after at most `most` trials.

    Every trial is a complete program of `generate`. So no trial has undefined behaviour, which
    deleting lines of text could introduce.

    Args:
        program: Program to reduce.
        generate: Builds a program from choices.
        still: Whether a program has the finding.
        most: Maximum number of trials.
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
