"""Draw expressions without undefined behaviour and independent of unspecified evaluation order.

A `LOUD` expression may call, assign or raise; a `QUIET` one only reads; a `STABLE` one reads only
objects that no call changes. Where C leaves the order open, at most one operand is loud, and the
others are then stable.
"""

from __future__ import annotations

from enum import IntEnum

from attrs import frozen

from porter_dev.torture.c_types import (
    INT,
    Array,
    Function,
    Number,
    ProgramTypes,
    Record,
    Text,
    Type,
)
from porter_dev.torture.choices import Choices
from porter_dev.torture.initialisers import InitialiserMaker, Leaf, Scalar, leaves
from porter_dev.torture.scope import Object, Pointer, Routine, Scope


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


@frozen
class ObjectMaker(ArithmeticMaker):
    """A generator of objects, and of scalars and arguments of given types."""

    def _literal_member(self, depth: int, mode: Mode) -> str:
        """Draw a read of an element or member of a compound literal."""
        c, quiet = self.choices, min(mode, Mode.QUIET)
        if c.chance(50):
            values = [self.number(depth, quiet) for _ in range(c.between(1, 3))]
            size = c.pick(["", "4"])
            index = c.below(len(values))
            kind = c.pick(["int", "unsigned char", "const long", "short"])
            return f"(({kind}[{size}]){{{', '.join(values)}}})[{index}]"
        found = [r for r in self.types.records if r.fixed and not r.union]
        if not found:
            return self._literal(depth, mode)
        record = c.pick(found)
        object_, text = self.literal(record, depth, quiet)
        numbers = [leaf for leaf in object_.leaves if isinstance(leaf.type, Number)]
        if not numbers:
            return f"(&{text} != 0)"
        leaf = c.pick(numbers)
        read = f"(&{text})->{leaf.path[1:]}" if c.chance(50) else text + leaf.path
        return f"to_int({read})" if isinstance(leaf.type, Number) and leaf.type.floating else read

    def literal(self, record: Record, depth: int, mode: Mode) -> tuple[Object, str]:
        """Draw a compound literal; return its object and its text."""
        lists = InitialiserMaker(self.choices, lambda kind: self.scalar(kind, depth, mode))
        plan = lists.plan(record)
        text = f"({record.name}){lists.render(record, plan)}"
        return Object(text, record, tuple(leaves(record, plan))), text

    def scalar(self, kind: Scalar, depth: int, mode: Mode) -> str:
        """Draw a value for a scalar; C converts it implicitly."""
        c = self.choices
        if isinstance(kind, Text):
            return c.pick(['"text"', '"x" "y"', r'"\xff"', '(const char *)"c"'])
        if isinstance(kind, Function):
            found = [r.name for r in self.scope.routines if is_call(r)]
            return c.pick(["0", "NULL", *found, *(f"&{name}" for name in found)])
        if kind.floating:
            return self.double(depth, mode)
        if kind.enumerators and c.chance(60):
            return c.pick(kind.enumerators)
        return self.number(depth, mode)

    def _pointers(self, depth: int, mode: Mode) -> str:
        c = self.choices
        found = [
            o
            for o in self.scope.objects
            if o.name[:2] != "((" and o.name != "a" and o.type != Record("", ())
        ]
        if mode == Mode.STABLE or not found:
            return self._literal(depth, mode)
        thing = c.pick(found)
        hidden = c.pick([f"(void *)&{thing.name}", f"(const void *)&{thing.name}", "NULL", "0"])
        return f"({hidden} == &{thing.name})" if "&" in hidden else f"(&{thing.name} != {hidden})"

    def argument(self, kind: Type | Pointer, depth: int, mode: Mode) -> str:
        """Draw an argument for a parameter."""
        c = self.choices
        if isinstance(kind, Pointer):
            found = [
                o
                for o in self.scope.objects
                if o.type == kind.to
                and o.name != "a"
                and (kind.constant or not (o.constant or o.stable))
            ]
            if isinstance(kind.to, Record) and (not found or c.chance(20)):
                return "&" + self.literal(kind.to, depth, min(mode, Mode.QUIET))[1]
            if not found:
                assert isinstance(kind.to, Number)
                return (
                    f"({kind.to.name}[2]){{{self.scalar(kind.to, depth, min(mode, Mode.QUIET))}}}"
                )
            text = f"&{c.pick(found).name}"
            return f"as_void({'(void *)' if kind.constant else ''}{text})" if c.chance(30) else text
        if isinstance(kind, Record):
            found = [o for o in self.scope.objects if o.type == kind]
            if mode == Mode.STABLE:
                found = [o for o in found if o.stable]
            if found and c.chance(60):
                return c.pick(found).name
            return self.literal(kind, depth, min(mode, Mode.QUIET))[1]
        assert not isinstance(kind, Array)
        return self.scalar(kind, depth, mode)


def is_call(routine: Routine) -> bool:
    """Return whether a routine takes and returns an int, as the entries of tables do."""
    return routine.result == INT and routine.parameters == (INT,) and not routine.variadic


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
