"""Draw the expressions of a generated Python program."""

from __future__ import annotations

from attrs import define

from porter_dev.torture.choices import Choices
from porter_dev.torture.python.scope import (
    ANY,
    ARRAY,
    BYTES,
    DICT,
    FLOAT,
    INT,
    LIST,
    TEXT,
    Callable,
    Numbers,
    PythonScope,
)

_COMPARISONS = ("<", "==", "!=", ">", "<=", ">=")
_FLOATS = ("0.5", "1.5", "-2.25", "0.0", "-0.0", "1e10", "1e-7", "3.0", "INF", "-INF", "NAN")
_TEXTS = ("''", "'a'", "'abc'", "'xyzzy'", "'0 1'")


@define
class PythonExpressions:
    """A generator of expressions for a scope; at depth 0, of constants and variables."""

    choices: Choices
    numbers: Numbers
    scope: PythonScope

    def integer(self, depth: int) -> str:
        """Draw an expression that yields an int or bool, or raises."""
        c = self.choices
        if depth == 0 or c.chance(25):
            return self._leaf(INT)
        makers = [
            (10, self._sum), (5, self._division), (5, self._bits), (4, self._shift),
            (2, self._power), (3, self._unary), (4, self._element), (3, self._choice),
            (3, self._builtin), (4, self._called), (3, self._attribute), (2, self._truth),
            (1, self._walk),
        ]  # fmt: skip
        return c.weighted(makers)(depth - 1)

    def number(self, depth: int) -> str:
        """Draw an int expression, or in programs with floats an int or float one."""
        c = self.choices
        if not self.numbers.floats or c.chance(35):
            return self.integer(depth)
        if depth == 0 or c.chance(30):
            return self._leaf(FLOAT)
        form = c.below(8)
        a = self.number(depth - 1)
        if form < 4:
            return f"({a} {c.pick('+-*')} {self.number(depth - 1)})"
        if form == 4:
            return f"({a} / {self.number(depth - 1)})"
        if form == 5:
            return f"(-{a})"
        if form == 6:
            return f"({a} {c.pick(['//', '%'])} {c.pick(['2.0', '3', '-1.5', '0.25', '-4'])})"
        return f"({a} if {self.condition(depth - 1)} else {self.number(depth - 1)})"

    def condition(self, depth: int) -> str:
        """Draw an expression to test for truth."""
        c = self.choices
        if depth <= 0:
            found = self.scope.of(INT, LIST, TEXT, DICT)
            return c.pick(["True", *found]) if c.chance(40) else self._compared(0)
        form = c.below(9)
        if form < 3:
            return self._compared(depth - 1)
        if form == 3:
            return f"(not {self.condition(depth - 1)})"
        if form == 4:
            a, b, d = (self.number(depth - 1) for _ in range(3))
            return f"({a} {c.pick(_COMPARISONS)} {b} {c.pick(_COMPARISONS)} {d})"
        if form == 5 and (found := self.scope.of(LIST, DICT)):
            word = c.pick(["in", "not in"])
            # CPython's `in` finds a NaN by identity; the sum is always a new object.
            return f"(({self.integer(depth - 1)} + 0) {word} {c.pick(found)})"
        if form == 6 and (found := self.scope.of(ANY)):
            return f"({c.pick(found)} is {c.pick(['None', 'not None'])})"
        word = c.pick(["and", "or"])
        return f"({self.condition(depth - 1)} {word} {self.condition(depth - 1)})"

    def any(self, depth: int) -> str:
        """Draw an expression of any type that all interpreters print alike."""
        c = self.choices
        form = c.below(10)
        if form < 4:
            return self.number(depth)
        if form == 4:
            return self.text(depth)
        if form == 5:
            return c.pick(["None", "True", "False", *self.scope.of(ANY)])
        if form == 6:
            return f"({self.number(depth)}, {self.text(0)})"
        if form == 7:
            # `and` and `or` return one of their operands.
            return f"({self.number(depth)} {c.pick(['and', 'or'])} {self.text(0)})"
        if form == 8:
            return self.list(depth)
        return self.condition(depth)

    def text(self, depth: int) -> str:
        """Draw a str expression."""
        c = self.choices
        found = self.scope.of(TEXT)
        if depth == 0 or c.chance(40):
            return c.pick([*_TEXTS[:2], *found, *_TEXTS[2:]])
        form = c.below(6)
        inner = self.text(depth - 1)
        if form == 0:
            return f"({inner} + {self.text(depth - 1)})[-40:]"
        if form == 1:
            return f"({inner} * {c.pick(['2', '0', '-1', '3'])})[:40]"
        if form == 2:
            return f"{inner}[{self.index()}:{self.index()}]"
        if form == 3:
            return f"'%s %d' % ({self.any(0)!s}, {self.integer(depth - 1)})"
        if form == 4:
            return f"str({self.number(depth - 1)})"
        return f"{inner}.{c.pick(['upper', 'lower', 'strip'])}()"

    def list(self, depth: int) -> str:
        """Draw an expression for a list of numbers."""
        c = self.choices
        found = self.scope.of(LIST)
        form = c.below(7)
        if form == 0 and found:
            return c.pick(found)
        if form == 1 and depth:
            test = f" if {self._bound('q', depth - 1, condition=True)}" if c.chance(50) else ""
            return f"[{self._bound('q', depth - 1)} for q in {self.sequence(0)}{test}]"
        if form == 2 and found:
            return f"{c.pick(found)}[{self.index()}:{self.index()}]"
        if form == 3 and depth:
            return f"sorted({{{self._whole(self._bound('q', 0))} for q in {self.sequence(0)}}})"
        if form == 4 and depth:
            return f"list(map(lambda q: {self._bound('q', depth - 1)}, {self.sequence(0)}))"
        return f"[{', '.join(self.number(min(depth, 1)) for _ in range(c.between(0, 4)))}]"

    def sequence(self, depth: int) -> str:
        """Draw an iterable, mostly of few ints."""
        c = self.choices
        form = c.below(8)
        if form == 1 and (found := self.scope.of(LIST, BYTES, ARRAY)):
            return f"tuple({c.pick(found)})"
        if form == 2:
            return f"range({c.below(4)}, {c.below(7)}, {c.pick(['1', '2', '-1'])})"
        if form == 3:
            return f"range({c.between(2, 6)}, {c.pick(['-1', '0', '1'])}, -1)"
        if form == 4 and self.scope.generators:
            return f"kept({self.call(c.pick(self.scope.generators), 0)})"
        if form == 5:
            return f"({', '.join(self.number(0) for _ in range(3))})"
        if form == 6 and depth:
            return f"({self._bound('q', 0)} for q in {self.sequence(0)})"
        if form == 7:
            return f"range(whole({self.integer(0)}) % {c.between(1, 6)})"
        return f"range({c.between(1, 7)})"

    def index(self, *, key: bool = False) -> str:
        """Draw a small index, sometimes out of range. key: a dict's key, which must be no NaN."""
        c = self.choices
        if (found := self.scope.of(INT)) and c.chance(40):
            name = c.pick(found)
            return f"{self._whole(name) if key else name} % {c.pick(['3', '2', '5', '-3'])}"
        return c.pick(["0", "1", "-1", "2", "-2", "3", "9", "True"])

    def call(self, function: Callable, depth: int) -> str:
        """Draw a call with positional, keyword, omitted and starred arguments."""
        c = self.choices
        names = list(function.parameters)
        if function.defaults and c.chance(40):
            names = names[: -c.between(1, function.defaults)]
        values = [self.number(depth) for _ in names]
        if function.star and c.chance(40):
            values += [f"*[{self.number(0)}, {self.number(0)}]"]
            return f"{function.name}({', '.join(values)})"
        positional = len(names) if c.chance(70) else c.below(len(names) + 1)
        shown = values[:positional]
        shown += [f"{n}={v}" for n, v in zip(names[positional:], values[positional:], strict=True)]
        if c.chance(3):
            shown = shown[:-1]  # a TypeError
        return f"{function.name}({', '.join(shown)})"

    def no_bool(self, expression: str) -> str:
        """Convert a bool to int: CPython's `&` of two bools is a bool, its `pow` accepts bools."""
        return f"({expression} + 0)"

    def _whole(self, expression: str) -> str:
        """Convert a float to an int."""
        return f"whole({expression})" if self.numbers.floats else expression

    def _leaf(self, kind: str) -> str:
        c = self.choices
        found = self.scope.of(kind)
        constants = _FLOATS if kind == FLOAT else self.numbers.edges
        if found and c.chance(70):
            return c.pick(found)
        if kind == INT and c.chance(60):
            return c.pick(["1", "0", "2", "-1", "7", "-3"])
        return c.pick([f"({text})" if " " in text else text for text in constants])

    def _bound(self, name: str, depth: int, condition: bool = False) -> str:
        """Draw an expression that may also use the variable `name`, mostly an int."""
        variables = {**self.scope.variables, name: INT}
        inner = PythonExpressions(
            self.choices,
            self.numbers,
            self.scope.inside(variables=variables),
        )
        return inner.condition(depth) if condition else inner.number(depth)

    def _compared(self, depth: int) -> str:
        return f"({self.number(depth)} {self.choices.pick(_COMPARISONS)} {self.number(depth)})"

    def _sum(self, depth: int) -> str:
        c = self.choices
        return f"({self.integer(depth)} {c.pick('+-*')} {self.integer(depth)})"

    def _division(self, depth: int) -> str:
        c = self.choices
        by = c.pick(["3", "7", "-5", "2", "(2**46 - 1)", "16"])
        if c.chance(25):
            by = self.integer(depth)
        return f"({self.integer(depth)} {c.pick(['//', '%'])} {by})"

    def _bits(self, depth: int) -> str:
        c = self.choices
        a, b = self.integer(depth), self.no_bool(self.integer(depth))
        if c.chance(50):
            a, b = b, a
        return f"({a} {c.pick('&|^')} {b})"

    def _shift(self, depth: int) -> str:
        c = self.choices
        if c.chance(50):
            return f"({self.integer(depth)} >> {c.pick(['1', '3', '62', '63', '64', '-1'])})"
        by = c.pick(["1", "4", "15", "16", "0", f"({self.integer(0)} & 31)"])
        return f"({self.integer(depth)} << {by})"

    def _power(self, depth: int) -> str:
        return f"(whole({self.integer(0)}) ** {self.choices.pick(['2', '0', '3', '1'])})"

    def _unary(self, depth: int) -> str:
        return f"({self.choices.pick('-~+')}{self.integer(depth)})"

    def _element(self, depth: int) -> str:
        found = self.scope.of(BYTES, ARRAY)
        if not found:
            return f"len({self.list(0)})"
        return f"{self.choices.pick(found)}[{self.index()}]"

    def _choice(self, depth: int) -> str:
        return f"({self.integer(depth)} if {self.condition(depth)} else {self.integer(depth)})"

    def _builtin(self, depth: int) -> str:
        c = self.choices
        a, b = self.integer(depth), self.integer(0)
        return c.pick(
            [f"abs({a})", f"max({a}, {b})", f"min({a}, {b})", f"divmod({a}, 7)[1]",
             f"len({self.text(0)})", f"int({self.condition(0)})", f"sum(range({c.below(5)}))",
             f"pow({self.no_bool(b)}, 3, 1009)"]
        )  # fmt: skip

    def _called(self, depth: int) -> str:
        functions = self.scope.functions
        if not functions:
            return self._sum(depth)
        return f"whole({self.call(self.choices.pick(functions), min(depth, 1))})"

    def _attribute(self, depth: int) -> str:
        c = self.choices
        found = self.scope.objects()
        if not found:
            return self._bits(depth)
        name, known = c.pick(found)
        form = c.below(4)
        if form == 0 or not known.methods:
            return f"whole({name}.{c.pick(known.attributes)})"
        if form == 1 and known.operators:
            operator = c.pick(known.operators)
            return f"whole({operator.format(name, self.integer(0))})"
        return f"whole({name}.{c.pick(known.methods)}({self.integer(depth)}))"

    def _truth(self, depth: int) -> str:
        return self.condition(depth)

    def _walk(self, depth: int) -> str:
        # CPython 3.12's `sum` compensates rounding errors of floats.
        each = self._whole(self._bound("q", 0))
        return f"sum([{each} for q in range({self.choices.below(5)})])"
