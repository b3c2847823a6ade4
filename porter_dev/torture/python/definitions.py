"""Draw the functions, generators and classes of a generated Python program.

Some functions call themselves and each other.
"""

from __future__ import annotations

from attrs import define

from porter_dev.torture.python.scope import FLOAT, INT, LIST, Callable, Class, PythonScope
from porter_dev.torture.python.statements import Lines, PythonBlocks, indented

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


# Counts calls. Part of the program, so that it is compiled together with its callers.
SPEND = """\
def spend():
    global FUEL
    FUEL -= 1
    if FUEL < 0:
        raise Boom('fuel')
"""


@define
class PythonChains(PythonDefinitions):
    """A generator of recursive functions that terminate: their first argument decreases."""

    def chain(self, scope: PythonScope) -> Lines:
        """Draw one to three functions, and sometimes a class with a recursive method."""
        c = self.choices
        made = [self._link() for _ in range(c.between(1, 3))]
        lines: Lines = []
        for each in made:
            head = f"def {each.name}({', '.join(each.parameters)}{'=2' * each.defaults}):"
            lines += [head, *indented(self._body(scope, each, made))]
        scope.functions += made
        if c.chance(30):
            lines += self._methods(scope, made)
        for each in made:  # call each with a valid argument; other callers pass any number
            given = "4" if len(each.parameters) == 1 else "4, 7"
            shown = f"print('{each.name}', {each.name}({given}))"
            caught = ["except Exception as e:", f"    print('{each.name}', told(e))"]
            lines += ["FUEL = 60", "try:", f"    {shown}", *caught]
        return lines

    def _link(self) -> Callable:
        parameters = tuple(self.names.new("x") for _ in range(self.choices.between(1, 2)))
        defaults = len(parameters) - 1 if self.choices.chance(40) else 0
        return Callable(self.names.new("r"), parameters, defaults)

    def _methods(self, scope: PythonScope, made: list[Callable]) -> Lines:
        """Draw a class with a method that calls itself through its object."""
        name, method = self.names.new("R"), self.names.new("m")
        inner = PythonScope({"x": INT, "y": INT}, list(scope.functions), fixed={"x"}, function=True)
        again = f"self.{method}(x - 1, {self.expressions(inner).number(0)})"
        lines = ["if not 0 < x < 6:", f"    return {self._again(made, 'x', inner)}"]
        lines += [*self.body(inner, 1, 1), *self._ways(inner, again)]
        made.append(Callable(f"{name}().{method}", ("x", "y")))
        scope.functions.append(made[-1])
        return [f"class {name}:", *indented([f"def {method}(self, x, y):", *indented(lines)])]

    def _body(self, scope: PythonScope, each: Callable, made: list[Callable]) -> Lines:
        c, first = self.choices, each.parameters[0]
        kind = FLOAT if c.chance(20) else INT
        variables = dict.fromkeys(each.parameters[1:], kind) | {first: INT, "g1": INT, "g2": FLOAT}
        fixed = {first, "g1", "g2"}
        inner = PythonScope(variables, list(scope.functions), fixed=fixed, function=True)
        lines = ["global g1"] if c.chance(25) else []
        if lines:
            inner.fixed.discard("g1")
        # Callers may pass any value.
        lines += [f"if not 0 < {first} < 5:", f"    return {self.expressions(inner).number(1)}"]
        if c.chance(70):
            lines += self.body(inner, 1, 2)
        if c.chance(25):
            lines += [
                f"if {first} == {c.between(1, 3)} and {self.expressions(inner).condition(1)}:"
            ]
            lines += [f"    {c.pick(['raise Boom(2)', 'raise', 'g3', '[][1]'])}"]
        return lines + self._ways(inner, self._again(made, first, inner))

    def _again(self, made: list[Callable], first: str, scope: PythonScope) -> str:
        """Draw a call of one of the functions with a smaller first argument."""
        c, e = self.choices, self.expressions(scope)
        other = c.pick(made)
        values = [f"{first} - 1", *(e.number(1) for _ in other.parameters[1:])]
        if other.defaults and c.chance(50):
            values = values[:1]
        if c.chance(20):
            values = [f"{n}={v}" for n, v in zip(other.parameters, values, strict=False)]
        elif c.chance(4):
            values.append("1")  # mostly a TypeError
        return f"{other.name}({', '.join(values)})"

    def _ways(self, scope: PythonScope, again: str) -> Lines:
        """Draw the statements that make the recursive call and use its value."""
        c, value = self.choices, self.names.new("v")
        number = self.expressions(scope).number(1)
        form = c.below(9)
        if form == 0:
            return [f"return {again}"]
        if form == 1:
            caught = ["except Exception as e:", "    print('caught', told(e))"]
            return [
                "try:",
                f"    {value} = {again}",
                *caught,
                f"    {value} = 3",
                f"return {value}",
            ]
        if form == 2:
            return ["try:", f"    return {again}", "finally:", "    g4 = 1", "    print('left')"]
        if form == 3:
            return [f"{value} = 0", "for k in range(2):", f"    {value} += {again}",
                    f"return {value}"]  # fmt: skip
        if form == 4:
            return [f"with Watch({c.pick(['False', 'True'])}):", f"    return {again}", "return 8"]
        if form == 5:
            return [f"{value} = [{number}, {again}]", f"return {value}[1]"]
        if form == 6:
            return [f"print({again})", f"return {number}"]
        scope.variables[value] = INT
        return [f"{value} = {again}", *self.body(scope, 1, 1), f"return {number}"]
