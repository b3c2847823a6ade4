"""Draw the statements of a generated Python program: simple ones, branches, loops, handlers."""

from __future__ import annotations

from attrs import define

from porter_dev.torture.choices import Choices
from porter_dev.torture.python.expressions import PythonExpressions
from porter_dev.torture.python.scope import (
    ANY,
    ARRAY,
    BYTES,
    DICT,
    FLOAT,
    INT,
    LIST,
    TEXT,
    NewNames,
    PythonScope,
)

Lines = list[str]


def indented(lines: Lines) -> Lines:
    """Return lines as the body of a compound statement."""
    return [f"    {line}" for line in lines] or ["    pass"]


@define
class PythonStatements:
    """A generator of simple statements; a base of PythonBlocks."""

    names: NewNames

    @property
    def choices(self) -> Choices:
        """The source of decisions."""
        return self.names.choices

    def expressions(self, scope: PythonScope) -> PythonExpressions:
        """Return the maker of expressions for a scope."""
        return PythonExpressions(self.choices, self.names.numbers, scope)

    def simple(self, scope: PythonScope) -> Lines:
        """Draw a simple statement, or several that belong together."""
        makers = [
            (10, self._show), (14, self._assign), (14, self._augment), (3, self._unpack),
            (4, self._new), (6, self._store), (4, self._change), (3, self._attribute),
            (2, self._delete), (2, self._kind), (2, self._assert), (2, self._star),
            (2, self._walrus), (3, self._call),
        ]  # fmt: skip
        return self.choices.weighted(makers)(scope)

    def fresh(self, scope: PythonScope, kind: str) -> Lines:
        """Draw the definition of a new variable of this kind."""
        c, e = self.choices, self.expressions(scope)
        name = self.names.new({BYTES: "y", LIST: "l", DICT: "d", ARRAY: "r"}.get(kind, "v"))
        if kind in (INT, FLOAT):
            value = e.integer(1) if kind == INT else e.number(1)
        elif kind == TEXT:
            value = e.text(1)
        elif kind == LIST:
            value = e.list(1)
        elif kind == DICT:
            value = f"{{{', '.join(f'{n}: {e.number(0)}' for n in range(c.below(4)))}}}"
        elif kind == BYTES:
            value = c.pick(
                ["bytearray(b'\\x00a\\xff')", "bytearray(5)", "memoryview(bytearray(b'wxyz'))"]
            )
        elif kind == ARRAY:
            codes = "ihBqd" if self.names.numbers.floats else "ihBq"
            code = c.pick(codes)
            value = f"array('{code}', [1, 2, 3, 100])"
            if c.chance(30):
                value = f"memoryview({value})"
        else:
            value = e.any(1)
        lines = [f"{name} = {value}"]
        scope.variables[name] = kind
        return lines

    def _new(self, scope: PythonScope) -> Lines:
        kind = self.choices.pick([INT, FLOAT, LIST, TEXT, ANY, BYTES, ARRAY, DICT])
        if scope.classes and self.choices.chance(30):
            known = self.choices.pick(scope.classes)
            name = self.names.new("o")
            line = f"{name} = {known.name}({self.expressions(scope).integer(1)})"
            scope.variables[name] = known.name
            return [line]
        return self.fresh(scope, kind)

    def show(self, scope: PythonScope, name: str) -> str:
        """Return a line that prints a variable; all interpreters print the same."""
        kind = scope.variables[name]
        value = f"sorted({name}.items())" if kind == DICT else name
        if kind in (BYTES, ARRAY):
            value = f"list({name})"
        if kind in {known.name for known in scope.classes}:
            value = f"{name}.shown()"
        return f"print('{name}', {value})"

    def _show(self, scope: PythonScope) -> Lines:
        c = self.choices
        if scope.variables and c.chance(50):
            return [self.show(scope, c.pick(list(scope.variables)))]
        return [f"print({self.expressions(scope).any(2)}, {self.expressions(scope).number(2)})"]

    def _assign(self, scope: PythonScope) -> Lines:
        c, e = self.choices, self.expressions(scope)
        found = scope.writable(INT, FLOAT)
        if not found:
            return self.fresh(scope, c.pick([INT, FLOAT]))
        name = c.pick(found)
        value = e.integer(3) if scope.variables[name] == INT else e.number(3)
        return [f"{name} = {value}", *self._bounded(scope, name)]

    def _bounded(self, scope: PythonScope, name: str) -> Lines:
        """In loops and functions, reset a variable that gets too large or is no number."""
        if not scope.loops and not scope.function:
            return []
        c = self.choices
        limit = c.pick(self.names.numbers.limits)
        if c.chance(30):
            return [f"if {name} > {limit} or {name} < -({limit}):", f"    {name} = {c.below(9)}"]
        return [f"if not -({limit}) < {name} < {limit}:", f"    {name} = {c.below(9)}"]

    def _augment(self, scope: PythonScope) -> Lines:
        c, e = self.choices, self.expressions(scope)
        found = scope.writable(INT, FLOAT)
        if not found:
            return self._assign(scope)
        name = c.pick(found)
        if scope.variables[name] == FLOAT:
            operator, value = c.pick(["+=", "-=", "*=", "/="]), e.number(2)
            if not self.names.numbers.floats and operator == "/=":
                operator = "//="
        else:
            operator = c.pick(["+=", "-=", "*=", "^=", "&=", "|=", "//=", "%=", ">>=", "<<="])
            value = f"({e.integer(1)} & 15)" if operator in (">>=", "<<=") else e.integer(2)
            if operator in ("^=", "&=", "|="):
                value = e.no_bool(value)
        return [f"{name} {operator} {value}", *self._bounded(scope, name)]

    def _unpack(self, scope: PythonScope) -> Lines:
        c, e = self.choices, self.expressions(scope)
        found = scope.writable(INT)
        if len(found) < 2:
            return self.fresh(scope, INT)
        a, b = c.pick(found), c.pick(found)
        form = c.below(3)
        if form == 0:
            return [f"{a}, {b} = {b}, {a}"]
        if form == 1:
            lines = [f"{a} = {b} = {e.integer(1)}"]
        else:
            lines = [f"{a}, {b} = {e.integer(1)}, {e.integer(1)}"]
        return [*lines, *self._bounded(scope, a), *self._bounded(scope, b)]

    def _star(self, scope: PythonScope) -> Lines:
        rest, first = self.names.new("l"), self.names.new("v")
        line = f"{first}, *{rest} = {self.expressions(scope).list(1)}"
        scope.variables |= {rest: LIST, first: ANY}
        return [line]

    def _walrus(self, scope: PythonScope) -> Lines:
        e, name = self.expressions(scope), self.names.new("v")
        line = f"print(({name} := {e.integer(2)}) + {name})"
        scope.variables[name] = INT
        return [line]

    def _store(self, scope: PythonScope) -> Lines:
        c, e = self.choices, self.expressions(scope)
        found = scope.of(LIST, DICT, BYTES, ARRAY)
        if not found:
            return self.fresh(scope, c.pick([LIST, BYTES, ARRAY, DICT]))
        name = c.pick(found)
        kind = scope.variables[name]
        operator = c.pick(["=", "+=", "-="]) if kind == LIST else "="
        if kind in (BYTES, ARRAY):
            return [f"{name}[{e.index()}] = {e.integer(2)} & 127"]
        at = e.index(key=kind == DICT)
        return [f"{name}[{at}] {operator} {e.integer(1)} % 1000003"]

    def _change(self, scope: PythonScope) -> Lines:
        c, e = self.choices, self.expressions(scope)
        found = scope.of(LIST)
        if not found:
            return self.fresh(scope, LIST)
        name = c.pick(found)
        form = c.below(6)
        if form == 0:
            return [f"{name}.append({e.number(1)})", f"del {name}[20:]"]
        if form == 1:
            # MicroPython's `insert` does not check that the index is an int.
            return [f"{name}.insert(int({e.index()}), {e.number(0)})", f"del {name}[20:]"]
        if form == 2:
            return [f"del {name}[{e.index()}]"]
        if form == 3:
            return [f"{name}[{e.index()}:{e.index()}] = {e.list(0)}", f"del {name}[20:]"]
        if form == 4:
            # The position of a NaN depends on the sorting algorithm.
            ordered = [f"{name}[:] = [q for q in {name} if q == q]"] * self.names.numbers.floats
            return [*ordered, f"{name}.sort()", f"{name}.reverse()"]
        return [f"print({name}.pop({e.index()}))"]

    def _attribute(self, scope: PythonScope) -> Lines:
        c, e = self.choices, self.expressions(scope)
        found = scope.objects()
        if not found:
            return self._new(scope)
        name, known = c.pick(found)
        operator = c.pick(["=", "+=", "-=", "^="])
        value = f"{e.integer(2)} % 1000003"
        return [f"{name}.{c.pick(known.attributes)} {operator} {value}"]

    def _delete(self, scope: PythonScope) -> Lines:
        """Draw a `del` of a name; later statements may use the unbound name."""
        found = scope.writable(INT, FLOAT, ANY, TEXT)
        if not found:
            return self._show(scope)
        name = self.choices.pick(found)
        # Interpreters raise different errors for `del` of an undefined global.
        of_module = not scope.function or name in ("g1", "g2")
        lines = [f"{name} = {name}"] * of_module + [f"del {name}"]
        again = of_module or self.choices.chance(60)
        return [*lines, *([f"{name} = {self.expressions(scope).integer(0)}"] * again)]

    def _kind(self, scope: PythonScope) -> Lines:
        """Draw an assignment that changes a variable's type."""
        c, e = self.choices, self.expressions(scope)
        found = scope.writable(ANY)
        if not found:
            return self.fresh(scope, ANY)
        return [f"{c.pick(found)} = {e.any(2)}"]

    def _assert(self, scope: PythonScope) -> Lines:
        return [f"assert {self.expressions(scope).condition(2)}, 'no'"]

    def _call(self, scope: PythonScope) -> Lines:
        c, e = self.choices, self.expressions(scope)
        if scope.functions:
            return [f"print({e.call(c.pick(scope.functions), 1)})"]
        return self._show(scope)


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
