"""Checks the C stack in functions that could recurse without a bound."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, insert
from porter.rewrite.facts import body, symbol_key
from porter.rewrite.program import Program
from porter.rewrite.rules.base import Example, Rule
from porter.rewrite.rules.unwinding import returns_void
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Unit


class Recursion(Rule):
    """Raises at the start of a function that recurses where nothing else bounds the recursion."""

    name = "recursion"
    example = Example(
        "void mp_cstack_check(void); void g(void) { mp_cstack_check(); }\n"
        "int f(int n) { return n ? f(n - 1) : 0; }",
        "void mp_cstack_check(void); void g(void) { mp_cstack_check(); }\n"
        "int f(int n) { if (porter_stack_is_low()) { porter_raise_overflow(); return {}; } "
        "return n ? f(n - 1) : 0; }",
    )

    def edits(self, unit: Unit, program: Program) -> Iterator[Edit]:
        for function in unit.declarations:
            block = body(function) if function.kind == K.FUNCTION_DECL else None
            if block is None or symbol_key(unit.name, function.cursor) not in program.guarded:
                continue
            leave = "return;" if returns_void(function) else "return {};"
            check = f" if (porter_stack_is_low()) {{ porter_raise_overflow(); {leave} }}"
            yield insert(block.start + 1, check, self.name)
