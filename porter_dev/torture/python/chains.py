"""Draw functions of a generated Python program that call themselves and each other."""

from __future__ import annotations

from attrs import define

from porter_dev.torture.python.definitions import PythonDefinitions
from porter_dev.torture.python.scope import FLOAT, INT, Callable, PythonScope
from porter_dev.torture.python.statements import Lines, indented

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
