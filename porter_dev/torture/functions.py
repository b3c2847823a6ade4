"""Draw the functions of a generated program: heads, and bodies that the fuel counter bounds."""

from __future__ import annotations

from attrs import frozen

from porter_dev.torture.blocks import Block
from porter_dev.torture.choices import Choices
from porter_dev.torture.expressions import ExpressionMaker, Mode, is_call
from porter_dev.torture.initialisers import leaves
from porter_dev.torture.scope import Object, Pointer, Routine, Scope, is_plain
from porter_dev.torture.statements import StatementMaker
from porter_dev.torture.types import (
    DOUBLE,
    INT,
    LONG,
    Number,
    ProgramTypes,
    Record,
    Text,
    Type,
    declare,
    pick_type,
)


@frozen
class Head:
    """The head of a function.

    Attributes:
        routine: Name, result and parameter types.
        parameters: Names of the parameters.
        unit: Unit of the definition, 0 or 1.
        static: Whether only that unit sees the function.
    """

    routine: Routine
    parameters: tuple[str, ...]
    unit: int
    static: bool

    @property
    def text(self) -> str:
        """The declaration, without the semicolon."""
        kinds = []
        for kind, name in zip(self.routine.parameters, self.parameters, strict=True):
            if isinstance(kind, Pointer):
                const = "const " if kind.constant else ""
                kinds.append(
                    const + ("void *" + name if kind.void else declare(kind.to, "*" + name))
                )
            else:
                kinds.append(declare(kind, name))
        dots = ", ..." if self.routine.variadic else ""
        result = self.routine.result
        named = f"{self.routine.name}({', '.join(kinds)}{dots})"
        storage = "static " if self.static else ""
        return storage + (f"void {named}" if result is None else declare(result, named))


def draw_head(c: Choices, types: ProgramTypes, number: int) -> Head:
    """Draw the head of function `number`. The first two functions fit into function tables."""
    name = f"{types.prefix}f{number}"
    unit, static = c.pick([0, 0, 1]), c.chance(60)
    if number < 2:
        return Head(Routine(name, INT, (INT,)), ("a",), 0, static)
    if c.chance(12):
        return Head(Routine(name, LONG, (INT,), variadic=True), ("a",), unit, static)
    plain = [r for r in types.records if is_plain(r)]
    fixed = [r for r in types.records if r.fixed]
    result: Type | None = c.weighted([(50, INT), (10, None), (10, DOUBLE), (5, Text()), (25, LONG)])
    if result == LONG:
        result = pick_type(c, *types.numbers, *fixed)
    kinds: list[Type | Pointer] = [INT]
    names = ["a"]
    for at in range(c.below(3)):
        names.append(f"p{at}")
        form = c.below(3)
        if form == 1 and fixed:
            to = c.pick(fixed)
            kinds.append(Pointer(to, c.chance(50) or not is_plain(to), c.chance(30)))
        elif form == 2 and plain:
            kinds.append(c.pick(plain))
        elif form == 2:
            kinds.append(Pointer(c.pick(types.numbers), c.chance(50), c.chance(30)))
        else:
            kinds.append(c.pick(types.numbers))
    return Head(Routine(name, result, tuple(kinds)), tuple(names), unit, static)


def draw_body(c: Choices, types: ProgramTypes, head: Head, scope: Scope) -> str:
    """Draw the function's definition."""
    scope = scope.copy()
    handles = c.chance(35)
    routine = head.routine
    start = ""
    parameters = zip(routine.parameters, head.parameters, strict=True)
    for kind, name in list(parameters):
        if isinstance(kind, Pointer):
            place = f"(*{name})"
            if kind.void:
                place = f"(*q{name})"
                const = "const " if kind.constant else ""
                start += f"{const}{declare(kind.to, f'*q{name}')} = {name};\n"
            found = tuple(leaves(kind.to, None if isinstance(kind.to, Record) else "1"))
            scope.objects.append(Object(place, kind.to, found, kind.constant))
        else:
            found = tuple(leaves(kind, None if isinstance(kind, Record) else "1"))
            fixed = name == "a" or handles
            scope.objects.append(Object(name, kind, found, fixed, True))

    def leave(e: ExpressionMaker) -> str:
        return "return;" if routine.result is None else f"return {result(e, routine.result)};"

    fuel, total = f"{types.prefix}fuel", f"{types.prefix}sum"
    bound = c.pick(["(a & 3) + 2", "3 + !a"])
    calls = tuple(r.name for r in scope.routines if is_call(r))
    statements = StatementMaker(c, types, total, handles, leave, bound, calls)
    statements.used.update(head.parameters)
    block = Block(scope, set(head.parameters))
    body = start + f"if ({fuel}-- <= 0) {{ {leave(ExpressionMaker(c, types, Scope()))} }}\n"
    if routine.variadic:
        body += _variadic(c, total)
    body += statements.some(block, 3, 6)
    end = "" if routine.result is None else leave(ExpressionMaker(c, types, block.scope)) + "\n"
    return f"{head.text} {{\n{body}{end}}}\n"


def result(e: ExpressionMaker, kind: Type) -> str:
    """Draw an expression that a function may return."""
    if isinstance(kind, Record):
        return e.argument(kind, 1, Mode.QUIET)
    assert isinstance(kind, Number | Text)
    return e.scalar(kind, 2, Mode.LOUD if isinstance(kind, Number) else Mode.QUIET)


def _variadic(c: Choices, total: str) -> str:
    """Return code that reads the arguments of `ExpressionMaker.call`: ints, a double, a string."""
    read = f"mix(&{total}, va_arg(list, int));"
    if c.chance(40):
        read = f"int n_ = va_arg(list, int); mix(&{total}, n_);"
    copied = (
        ("va_list other; va_copy(other, list);\n", "va_end(other);\n") if c.chance(30) else ("", "")
    )
    return (
        f"va_list list;\nva_start(list, a);\n{copied[0]}"
        f"for (int i_ = 0; i_ < a; i_++) {{ {read} }}\n"
        f"mix_double(&{total}, va_arg(list, double));\n"
        f"mix_text(&{total}, va_arg(list, const char *), 4);\n{copied[1]}va_end(list);\n"
    )
