"""Draw expressions without undefined behaviour and independent of unspecified evaluation order.

A `LOUD` expression may call, assign or raise; a `QUIET` one only reads; a `STABLE` one reads only
objects that no call changes. Where C leaves the order open, at most one operand is loud, and the
others are then stable.
"""

from __future__ import annotations

from attrs import frozen

from porter_dev.torture.arithmetic import Mode
from porter_dev.torture.initialisers import leaves
from porter_dev.torture.objects import ObjectMaker, is_call
from porter_dev.torture.scope import Routine
from porter_dev.torture.types import Number, Record, Text

__all__ = ["ExpressionMaker", "Mode", "is_call"]


@frozen
class ExpressionMaker(ObjectMaker):
    """A generator of expressions over a scope."""

    def number(self, depth: int, mode: Mode) -> str:
        """Draw an expression of an integer type, in parentheses where necessary."""
        makers = [
            (12, self._literal),
            (22, self._read),
        ]
        if depth > 0:
            makers += [
                (18, self._binary),
                (6, self._division),
                (8, self._comparison),
                (6, self._logic),
                (8, self._conditional),
                (6, self._cast),
                (4, self._sizeof),
                (6, self._unary),
                (6, self._literal_member),
                (3, self._string),
                (4, self._enum),
                (3, self._shift),
                (3, self._from_double),
                (3, self._comma),
                (3, self._pointers),
            ]
            if mode == Mode.LOUD:
                makers += [(20, self._call), (8, self._need), (6, self._block)]
                makers += [(6, self._indirect), (6, self._assignment)]
        return self.choices.weighted(makers)(depth - 1, mode)

    def _need(self, depth: int, mode: Mode) -> str:
        return f"need({self.number(depth, mode)})"

    def _assignment(self, depth: int, mode: Mode) -> str:
        found = [f for f in self.scope.writable() if not f[0].stable]
        if not found:
            return self._literal(depth, mode)
        thing, leaf = self.choices.pick(found)
        assert isinstance(leaf.type, Number)
        value = self.scalar(leaf.type, depth, Mode.QUIET)
        text = f"({thing.name}{leaf.path} = {value})"
        return f"to_int{text}" if leaf.type.floating else text

    def _block(self, depth: int, mode: Mode) -> str:
        """Draw a statement expression."""
        name = f"b{len(self.choices.taken)}"
        kind = self.choices.pick(["int", "long", "const int", "unsigned char"])
        return (
            f"({{ {kind} {name} = {self.number(depth, mode)}; "
            f"{name} + {self.number(depth, Mode.STABLE)}; }})"
        )

    def _indirect(self, depth: int, mode: Mode) -> str:
        """Draw a call through a pointer or a table."""
        c = self.choices
        found = [r.name for r in self.scope.routines if is_call(r)]
        if not found:
            return self._literal(depth, mode)
        value = self.number(depth, Mode.QUIET)
        if c.chance(50):
            table = f"{self.types.prefix}table"
            return f"{table}[{self.number(0, Mode.STABLE)} & 3]({value})"
        return f"(*(int (*)(int)){c.pick(found)})({value})"

    def _call(self, depth: int, mode: Mode) -> str:
        found = [r for r in self.scope.routines if r.result is not None]
        if not found:
            return self._need(depth, mode)
        routine = self.choices.pick(found)
        text = self.call(routine, depth, mode)
        kind = routine.result
        if isinstance(kind, Record):
            for leaf in leaves(kind, None):
                is_integer = isinstance(leaf.type, Number) and not leaf.type.floating
                if is_integer and "[" not in leaf.path:
                    return text + leaf.path
            return f"({text}, 1)"
        if isinstance(kind, Text):
            return f"{text}[0]"
        return f"to_int({text})" if isinstance(kind, Number) and kind.floating else text

    def call(self, routine: Routine, depth: int, mode: Mode) -> str:
        """Draw a call of a routine; at most one argument is loud."""
        loud = self.choices.below(len(routine.parameters) + 2) if mode == Mode.LOUD else -1
        if loud >= len(routine.parameters):
            loud = -1
        rest = Mode.QUIET if loud < 0 else Mode.STABLE
        arguments = [
            self.argument(kind, depth, Mode.LOUD if at == loud else rest)
            for at, kind in enumerate(routine.parameters)
        ]
        if routine.variadic:
            count = self.choices.below(5)
            arguments[0] = str(count)
            kinds = ["(int)", "(char)", "(short)", "(_Bool)", f"({self._enums()[0].name})"]
            promoted = [f"{self.choices.pick(kinds)}" for _ in range(count)]
            arguments += [f"{kind}({self.number(depth, rest)})" for kind in promoted]
            arguments += [self.double(depth, rest), self.choices.pick(['"end"', '""'])]
        return f"{routine.name}({', '.join(arguments)})"
