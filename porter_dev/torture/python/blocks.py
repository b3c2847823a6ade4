"""Draw the compound statements of a generated Python program: branches, loops, handlers."""

from __future__ import annotations

from attrs import define

from porter_dev.torture.python.scope import ANY, INT, PythonScope
from porter_dev.torture.python.statements import Lines, PythonStatements, indented

_ERRORS = ("Exception", "ZeroDivisionError", "(IndexError, ValueError)", "ArithmeticError",
           "TypeError", "NameError", "KeyError", "Boom")  # fmt: skip


@define
class PythonBlocks(PythonStatements):
    """A generator of simple and compound statements."""

    def body(self, scope: PythonScope, depth: int, most: int = 4) -> Lines:
        """Draw 1 to `most` statements."""
        lines: Lines = []
        for _ in range(self.choices.between(1, most)):
            lines += self.one(scope, depth)
        return lines

    def one(self, scope: PythonScope, depth: int) -> Lines:
        """Draw a statement."""
        c = self.choices
        if depth <= 0 or c.chance(45):
            return self._leave(scope) if c.chance(6) else self.simple(scope)
        makers = [(6, self._if), (9, self._for), (5, self._while), (7, self._try), (2, self._with)]
        return c.weighted(makers)(scope, depth - 1)

    def _inner(self, scope: PythonScope, depth: int, **changes: bool | int) -> Lines:
        inner = scope.inside(**changes)
        inner.variables = dict(scope.variables)
        lines = indented(self.body(inner, depth, 2))
        self.forget(scope, inner)
        return lines

    def forget(self, scope: PythonScope, inner: PythonScope) -> None:
        """Keep few of a block's variables in scope, since the block may not have run."""
        for name, kind in inner.variables.items():
            if name not in scope.variables and self.choices.chance(10):
                scope.variables[name] = kind

    def _leave(self, scope: PythonScope) -> Lines:
        """Draw a conditional jump out of the iteration, loop or function, or an exception."""
        c, e = self.choices, self.expressions(scope)
        ways = [f"raise {c.pick(['Boom(1)', 'ValueError', 'KeyError(3)', 'ZeroDivisionError'])}"]
        if scope.loops and not scope.finally_:
            ways = ["break", "continue", *ways]
        if scope.function and not scope.finally_:
            ways.append("return" if scope.generator else f"return {e.number(1)}")
        if scope.generator:
            ways = [f"yield {e.number(1)}", *ways]
        return [f"if {e.condition(1)}:", f"    {c.pick(ways)}"]

    def _if(self, scope: PythonScope, depth: int) -> Lines:
        c, e = self.choices, self.expressions(scope)
        lines = [f"if {e.condition(2)}:", *self._inner(scope, depth)]
        if c.chance(25):
            lines += [f"elif {e.condition(2)}:", *self._inner(scope, depth)]
        if c.chance(40):
            lines += ["else:", *self._inner(scope, depth)]
        return lines

    def _for(self, scope: PythonScope, depth: int) -> Lines:
        c, e = self.choices, self.expressions(scope)
        if scope.loops > 1:
            return self._if(scope, depth)
        name = self.names.new("i")
        target, over, kind = name, e.sequence(1), INT
        if c.chance(15):
            other = self.names.new("i")
            target = f"{other}, {name}"
            over = c.pick([f"enumerate({over})", f"zip(range(4), {over})"])
            scope.variables[other] = INT
        elif c.chance(15):
            over = c.pick(["[1, 2.5, None, 'a', 3]", "[1, 2, 3.5, 4]", "'abc'", "(True, 0, 2**50)"])
            kind = ANY
        head = f"for {target} in {over}:"
        scope.variables[name] = kind
        lines = [head, *self._inner(scope, depth, loops=scope.loops + 1, finally_=False)]
        return lines + self._else(scope, depth)

    def _while(self, scope: PythonScope, depth: int) -> Lines:
        c, e = self.choices, self.expressions(scope)
        if scope.loops > 1:
            return self._if(scope, depth)
        name = self.names.new("n")
        end, step = c.between(1, 8), c.pick([1, 2])
        test = f"{name} < {end}"
        if c.chance(40):
            test = c.pick([f"{test} and {e.condition(2)}", f"0 <= {test}", f"not {name} >= {end}"])
        scope.variables[name] = INT
        scope.fixed.add(name)
        inner = self._inner(scope, depth, loops=scope.loops + 1, finally_=False)
        lines = [f"{name} = 0", f"while {test}:", f"    {name} += {step}", *inner]
        return lines + self._else(scope, depth)

    def _else(self, scope: PythonScope, depth: int) -> Lines:
        if not self.choices.chance(15):
            return []
        return ["else:", *self._inner(scope, 0)]

    def _try(self, scope: PythonScope, depth: int) -> Lines:
        c = self.choices
        lines = ["try:", *self._inner(scope, depth)]
        form = c.below(4)
        if form != 3:
            kind = c.pick(_ERRORS)
            lines += [f"except {kind} as e:", "    print('caught', told(e))"]
            if c.chance(40):
                lines += self._inner(scope, depth)
            if c.chance(10):
                lines += ["    raise"]
        if form == 1:
            lines += ["else:", *self._inner(scope, depth)]
        if form >= 2:
            lines += ["finally:", *self._inner(scope, depth, finally_=True)]
        return lines

    def _with(self, scope: PythonScope, depth: int) -> Lines:
        name = self.names.new("v")
        lines = [f"with Watch({self.choices.pick(['False', 'True'])}) as {name}:"]
        scope.variables[name] = INT
        return lines + self._inner(scope, depth)
