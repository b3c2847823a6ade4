"""Draw the functions, generators and classes of a generated Python program."""

from __future__ import annotations

from attrs import define

from porter_dev.torture.python.blocks import PythonBlocks
from porter_dev.torture.python.scope import FLOAT, INT, LIST, Callable, Class, PythonScope
from porter_dev.torture.python.statements import Lines, indented

_OPERATORS = (
    ("__add__", "({} + {})"),
    ("__mul__", "({} * {})"),
    ("__getitem__", "{}[{}]"),
    ("__call__", "{}({})"),
    ("__lt__", "({} < {})"),
    ("__eq__", "({} == {})"),
    ("__contains__", "({1} in {0})"),
)


@define
class PythonDefinitions(PythonBlocks):
    """A generator of definitions; it adds them to a scope."""

    def function(self, scope: PythonScope) -> Lines:
        """Draw a function."""
        c = self.choices
        made, head = self._head("f")
        inner = self._own(scope, made)
        lines = ["spend()"] if c.chance(90) else ["global g1, g2", "spend()"]
        if len(lines) > 1 or lines[0] != "spend()":
            inner.variables |= {"g1": INT, "g2": FLOAT}
        else:
            inner.fixed |= {"g1", "g2"}
        if c.chance(25):
            lines += self._closure(inner)
        if c.chance(15):
            # Assigned on some paths only: reading it may raise a NameError.
            late = self.names.new("v")
            lines += [f"if {self.expressions(inner).condition(1)}:", f"    {late} = 5"]
            inner.variables[late] = INT
        lines += self.body(inner, 2, 3)
        if c.chance(12) and made.parameters:
            first = made.parameters[0]
            rest = ", ".join(f"{name}" for name in made.parameters[1:])
            again = f"{made.name}({first} // 2{', ' + rest if rest else ''})"
            lines += [f"if {first} > 1:", f"    return {again} + 1"]
        lines += [f"return {self.expressions(inner).number(2)}"]
        scope.functions.append(made)
        return [head, *indented(lines)]

    def generator(self, scope: PythonScope) -> Lines:
        """Draw a generator that terminates."""
        c = self.choices
        made, head = self._head("y")
        inner = self._own(scope, made)
        inner.generator = True
        lines = ["spend()", *self.body(inner, 1, 2)]
        if c.chance(60):
            over = self.expressions(inner).sequence(0)
            value = self.expressions(inner).integer(1)
            lines += [f"for w in {over}:", f"    x = yield w + {value}"]
            if c.chance(40):
                lines += ["    if x is not None:", "        print('sent', x)"]
        if c.chance(40):
            lines += ["try:", f"    yield {self.expressions(inner).integer(1)}"]
            lines += c.pick([["finally:", "    x = 9"],
                             ["except ValueError:", "    yield 77"]])  # fmt: skip
        if c.chance(25):
            lines += [f"yield from {self.expressions(inner).sequence(0)}"]
        lines += [f"yield {self.expressions(inner).integer(1)}"]
        scope.generators.append(made)
        return [head, *indented(lines)]

    def klass(self, scope: PythonScope) -> Lines:
        """Draw a class, possibly a derived one."""
        c = self.choices
        name = self.names.new("C")
        base = c.pick(scope.classes) if scope.classes and c.chance(40) else None
        attributes = ("a", "b") if base is None else (*base.attributes, self.names.new("a"))
        own = [one for one in _OPERATORS if c.chance(35)]
        lines = self._initialiser(base, attributes)
        methods = list(base.methods) if base else []
        inner = PythonScope({"x": INT, "self": name}, list(scope.functions), function=True)
        known = Class(name, attributes, tuple(methods), ())
        inner.classes = [*scope.classes, known]
        inner.fixed = {"self"}
        for _ in range(c.between(1, 2)):
            method = c.pick(methods) if methods and c.chance(30) else self.names.new("m")
            lines += self._method(method, inner)
            if method not in methods:
                methods.append(method)
        for special, _ in own:
            lines += self._method(special, inner)
        if c.chance(40):
            attribute = self.names.new("p")
            attributes += (attribute,)
            lines += ["@property", f"def {attribute}(self):", "    return self.a + 1"]
            lines += [
                f"@{attribute}.setter",
                f"def {attribute}(self, x):",
                "    self.a = x % 999983",
            ]
        lines += ["def shown(self):", "    return (self.a, self.b)"]
        operators = (*(base.operators if base else ()), *(text for _, text in own))
        scope.classes.append(Class(name, attributes, tuple(methods), operators))
        head = f"class {name}({base.name}):" if base else f"class {name}:"
        return [head, *indented(lines)]

    def _initialiser(self, base: Class | None, attributes: tuple[str, ...]) -> Lines:
        if base is None:
            return [
                "def __init__(self, x):",
                "    self.a = x",
                f"    self.b = {self.choices.below(9)}",
            ]
        return [
            "def __init__(self, x):",
            "    super().__init__(x)",
            f"    self.{attributes[-1]} = x",
        ]

    def _method(self, name: str, scope: PythonScope) -> Lines:
        inner = scope.inside()
        inner.variables = dict(scope.variables)
        lines = ["spend()", *self.body(inner, 1, 2)]
        lines += [f"return {self.expressions(inner).number(2)}"]
        return [f"def {name}(self, x):", *indented(lines)]

    def _closure(self, scope: PythonScope) -> Lines:
        """Draw a nested function that changes variables of the enclosing one."""
        name, cell, own = self.names.new("f"), self.names.new("v"), self.names.new("x")
        inner = PythonScope({cell: INT, own: INT}, list(scope.functions), function=True)
        lines = [f"nonlocal {cell}", "spend()", *self.body(inner, 1, 3), f"return {cell}"]
        scope.variables[cell] = INT
        scope.functions = [*scope.functions, Callable(name, (own,))]
        start = f"{cell} = {self.expressions(PythonScope()).integer(1)}"
        return [start, f"def {name}({own}):", *indented(lines)]

    def _head(self, letter: str) -> tuple[Callable, str]:
        c = self.choices
        parameters = tuple(self.names.new("x") for _ in range(c.between(0, 3)))
        defaults = c.below(len(parameters) + 1)
        star = letter == "f" and c.chance(15)
        shown = [
            name if at < len(parameters) - defaults else f"{name}={c.below(9)}"
            for at, name in enumerate(parameters)
        ]
        name = self.names.new(letter)
        made = Callable(name, parameters, defaults, star)
        return made, f"def {name}({', '.join([*shown, *(['*rest'] if star else [])])}):"

    def _own(self, scope: PythonScope, made: Callable) -> PythonScope:
        kind = FLOAT if self.choices.chance(30) else INT
        variables = dict.fromkeys(made.parameters, kind) | {"g1": INT, "g2": FLOAT}
        if made.star:
            variables["list(rest)"] = LIST
        return PythonScope(
            variables, list(scope.functions), list(scope.generators), list(scope.classes),
            fixed={"list(rest)"}, function=True,
        )  # fmt: skip
