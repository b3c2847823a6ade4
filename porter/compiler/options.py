"""What a caller chooses for the compiled tier, and what it is told of each guess."""

from __future__ import annotations

from collections.abc import Set
from typing import Literal, NamedTuple

from attrs import evolve, frozen

# What an interpreter saw on top of the stack, as templates/runtime/interp.h numbers it.
SEEN_OTHER, SEEN_INT, SEEN_FLOAT, SEEN_BOOL = 1, 2, 4, 8


Enter = Literal["usual", "apart", "everywhere"]


@frozen
class CompilerOptions:
    """hints: of each byte of the code which kinds were seen on top of the stack before that
    instruction (`Native.seen`); empty: nothing is known. without: places (`GuardPlace.place`) at
    which nothing is guessed. force: "guards": no guess ever holds; a number k: each k-th guess that
    holds counts as one that does not. enter: "apart": loops are entered in C++ functions of their
    own, as GPUs need it (parts.py); "everywhere": the interpreter hands over before each
    instruction. That and `force` are for tests.
    """

    hints: bytes = b""
    without: Set[int] = frozenset()
    force: Literal["guards"] | int | None = None
    enter: Enter = "usual"

    def on(self, enter: Enter) -> CompilerOptions:
        """These on a device where machine code is usually entered as `enter` says."""
        return evolve(self, enter=enter) if self.enter == "usual" else self


class GuardPlace(NamedTuple):
    """One guard, at a line of a function. number: its index in `Native.exits`. what: why it gives
    up, such as "x is no float". place: where in the code's bytes it guesses."""

    number: int
    function: str
    line: int
    what: str
    place: int
