"""Draw arithmetic of generated programs: literals, reads, operators, conversions."""

from __future__ import annotations

from enum import IntEnum

from attrs import frozen

from porter_dev.torture.choices import Choices
from porter_dev.torture.initialisers import Leaf
from porter_dev.torture.scope import Object, Scope
from porter_dev.torture.types import Function, Number, ProgramTypes, Text


class Mode(IntEnum):
    """The side effects that an expression may have; expressions.py defines the modes."""

    STABLE = 0
    QUIET = 1
    LOUD = 2


_BINARY = ("+", "-", "*", "&", "|", "^")
_COMPARISONS = ("==", "<", "!=", ">", "<=", ">=")
_CASTS = ("int", "unsigned", "long", "char", "unsigned char", "short", "_Bool", "uint64_t")


@frozen
class ArithmeticMaker:
    """A generator of arithmetic over a scope; subclasses define the operands (`number`)."""

    choices: Choices
    types: ProgramTypes
    scope: Scope

    def number(self, depth: int, mode: Mode) -> str:
        """Draw an expression of an integer type, in parentheses where necessary."""
        raise NotImplementedError

    def pair(self, depth: int, mode: Mode) -> tuple[str, str]:
        """Draw two operands whose evaluation order C leaves open."""
        quiet = min(mode, Mode.QUIET)
        if mode < Mode.LOUD or self.choices.chance(50):
            return self.number(depth, quiet), self.number(depth, quiet)
        loud, stable = self.number(depth, mode), self.number(depth, Mode.STABLE)
        return (loud, stable) if self.choices.chance(50) else (stable, loud)

    def _literal(self, depth: int, mode: Mode) -> str:
        c = self.choices
        number = c.below(20) if c.chance(70) else c.pick([100, 255, 65535, 0x7FFFFFFF, 1 << 20])
        form = c.below(8)
        if form < 4:
            return f"(-{number})" if form == 3 else str(number)
        names = c.pick([n for n in self.types.numbers if n.enumerators])
        return (
            [f"{number}u", f"{number}l", c.pick(["'a'", r"'\n'", r"'\''", "'0'"])][form - 4]
            if form < 7
            else c.pick(names.enumerators)
        )

    def _read(self, depth: int, mode: Mode) -> str:
        found = self.scope.readable(mode == Mode.STABLE)
        if not found:
            return self._literal(depth, mode)
        thing, leaf = self.choices.pick(found)
        return self.read(thing, leaf)

    def read(self, thing: Object, leaf: Leaf) -> str:
        """Return an expression that reads a leaf as an integer."""
        text = thing.name + leaf.path
        if isinstance(leaf.type, Text):
            return f"{text}[0]" if leaf.set else f"({text} == 0)"
        if isinstance(leaf.type, Function):
            return f"({text} != {'0' if self.choices.chance(50) else 'NULL'})"
        return f"to_int({text})" if leaf.type.floating else text

    def _binary(self, depth: int, mode: Mode) -> str:
        left, right = self.pair(depth, mode)
        return f"({left} {self.choices.pick(_BINARY)} {right})"

    def _division(self, depth: int, mode: Mode) -> str:
        left, right = self.pair(depth, mode)
        return f"({left} {self.choices.pick(['/', '%'])} (({right} & 7) + 1))"

    def _comparison(self, depth: int, mode: Mode) -> str:
        left, right = self.pair(depth, mode)
        return f"({left} {self.choices.pick(_COMPARISONS)} {right})"

    def _logic(self, depth: int, mode: Mode) -> str:
        left, right = self.number(depth, mode), self.number(depth, mode)
        return f"({left} {self.choices.pick(['&&', '||'])} {right})"

    def _conditional(self, depth: int, mode: Mode) -> str:
        test, yes, no = (self.number(depth, mode) for _ in range(3))
        if self.choices.chance(15):
            # g++ 12 rejects a bit-field that is the value of an assignment or comma there.
            return f"({'+' if ' = ' in test or is_sequence(test) else ''}{test} ?: {no})"
        return f"({test} ? {yes} : {no})"

    def _cast(self, depth: int, mode: Mode) -> str:
        enums = [n.name for n in self.types.numbers if n.enumerators]
        return f"({self.choices.pick([*_CASTS, *enums])})({self.number(depth, mode)})"

    def _sizeof(self, depth: int, mode: Mode) -> str:
        c = self.choices
        if c.chance(40):
            records = [r.name for r in self.types.records if r.name]
            return f"sizeof({c.pick([*_CASTS, *records])})"
        if c.chance(15):
            return "sizeof(struct { char a; int b; })"
        makers = [self._literal, self._comparison, self._logic, self._binary, self._unary]
        return f"(int)sizeof({c.pick([*makers, self._conditional])(depth, Mode.STABLE)})"

    def _unary(self, depth: int, mode: Mode) -> str:
        return f"({self.choices.pick(['-', '~', '!', '+'])}{self.number(depth, mode)})"

    def _shift(self, depth: int, mode: Mode) -> str:
        left, right = self.pair(depth, mode)
        if self.choices.chance(50):
            return f"({left} >> ({right} & 7))"
        return f"((unsigned long){left} << ({right} & 15))"

    def _from_double(self, depth: int, mode: Mode) -> str:
        return f"to_int({self.double(depth, mode)})"

    def double(self, depth: int, mode: Mode) -> str:
        """Draw an expression of type double."""
        c = self.choices
        found = [
            (o, leaf)
            for o, leaf in self.scope.readable(mode == Mode.STABLE)
            if isinstance(leaf.type, Number) and leaf.type.floating
        ]
        form = c.below(4)
        if form == 1 and found:
            thing, leaf = c.pick(found)
            return f"tame({thing.name}{leaf.path})"
        if form == 2 and depth > 0:
            quiet = min(mode, Mode.QUIET)
            left, right = self.double(depth - 1, quiet), self.double(0, quiet)
            return f"tame({left} {c.pick(['+', '-', '*'])} {right})"
        if form == 3 and depth > 0:
            return f"(double)({self.number(depth - 1, mode)})"
        return c.pick(["1.5", "0.25f", "-2.0", "1e3", "0x1p-3"])

    def _comma(self, depth: int, mode: Mode) -> str:
        return f"({self.number(depth, mode)}, {self.number(depth, mode)})"

    def _string(self, depth: int, mode: Mode) -> str:
        text = self.choices.pick(['"abcd"', r'"\x41zd\0"', '"ab" "cd"'])
        return f"{text}[{self.number(depth, mode)} & 3]"

    def _enum(self, depth: int, mode: Mode) -> str:
        return self.enum(self.choices.pick(self._enums()), depth, mode)

    def _enums(self) -> list[Number]:
        return [n for n in self.types.numbers if n.enumerators]

    def enum(self, kind: Number, depth: int, mode: Mode) -> str:
        """Draw an expression of the enum type `kind`."""
        found = [f for f in self.scope.readable(mode == Mode.STABLE) if f[1].type == kind]
        if found and self.choices.chance(50):
            thing, leaf = self.choices.pick(found)
            return thing.name + leaf.path
        return f"({kind.name})({self.number(depth, mode)})"


def is_sequence(text: str) -> bool:
    """Return whether `text`, in parentheses, is a comma expression."""
    depth = 0
    for position, character in enumerate(text):
        depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(character, 0)
        if depth == 0:
            whole = text[0] == "(" and position == len(text) - 1
            return whole and is_sequence(text[1:-1])
        if depth == 1 and character == ",":
            return text[0] == "("
    return False
