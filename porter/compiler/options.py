"""Options of the translator, and the description of a guard that it returns."""

from __future__ import annotations

from collections.abc import Set
from typing import Literal, NamedTuple

from attrs import evolve, frozen

# Bits of type feedback: types seen on top of the stack, as templates/port/interp.h numbers them.
SEEN_OTHER, SEEN_INT, SEEN_FLOAT, SEEN_BOOL = 1, 2, 4, 8


Enter = Literal["usual", "apart", "everywhere"]


@frozen
class CompilerOptions:
    """Options of the translator.

    Attributes:
        hints: Type feedback (`Native.seen`): for each byte of the code the types seen on top of the
            stack before that instruction, as a set of SEEN_ bits. Empty if there is none.
        without: Positions in the code (`GuardPlace.place`) at which nothing is speculated.
        force: For tests. "guards" makes each guard fail; a number k makes each k-th guard fail that
            would hold.
        enter: How the interpreter enters native code. "apart" gives each outermost loop a C++
            function of its own, for GPUs (outlining.py). "everywhere" makes each instruction an
            entry, for tests.
    """

    hints: bytes = b""
    without: Set[int] = frozenset()
    force: Literal["guards"] | int | None = None
    enter: Enter = "usual"

    def on(self, enter: Enter) -> CompilerOptions:
        """Return these options with "usual" replaced by the device's own `enter`."""
        return evolve(self, enter=enter) if self.enter == "usual" else self


class GuardPlace(NamedTuple):
    """A guard.

    Attributes:
        number: Its index in `Native.exits`.
        function: Name of its function.
        line: Its line of Python source.
        what: Reason of a failure, such as "x is no float".
        place: Position in the code at which it speculates, in bytes.
    """

    number: int
    function: str
    line: int
    what: str
    place: int
