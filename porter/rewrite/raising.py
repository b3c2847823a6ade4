"""Decide which calls of a unit may leave by unwinding."""

from __future__ import annotations

from functools import cached_property

from porter.rewrite.facts import never_returning
from porter.rewrite.program import WholeProgram
from porter.rewrite.queries import callee, calls_pointer, is_setjmp, symbol_key
from porter.syntax.node import Node, Unit


class Raising:
    """The predicate of one unit's calls: may an unwind leave the call."""

    def __init__(self, unit: Unit, program: WholeProgram) -> None:
        self.unit = unit
        self.program = program

    @cached_property
    def _never(self) -> dict[str, None]:
        return never_returning(self.unit)

    def may_raise(self, call: Node) -> bool:
        """Return whether a call may unwind: it is indirect, or its callee may raise."""
        key = self._key(call)
        return calls_pointer(call) if key is None else key in self.program.raising

    def never_returns(self, call: Node) -> bool:
        """Return whether the callee never returns."""
        return self._key(call) in self._never

    def _key(self, call: Node) -> str | None:
        """Return the key of the called function, or None for an indirect call."""
        target = callee(call)
        if target is None or target.referenced is None or is_setjmp(call):
            return None if target is None else "setjmp"
        return symbol_key(self.unit.name, target.referenced)
