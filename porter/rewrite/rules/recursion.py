"""Rule `recursion`: check the C stack in functions whose recursion is otherwise unbounded."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, insert
from porter.rewrite.queries import leaving, symbol_key
from porter.rewrite.rule import Example, Rule, on_body
from porter.syntax.node import Node


class Recursion(Rule):
    """Raises at the start of a function with unbounded recursion if the C stack is low."""

    name = "recursion"
    example = Example(
        "void mp_cstack_check(void); void g(void) { mp_cstack_check(); }\n"
        "int f(int n) { return n ? f(n - 1) : 0; }",
        "void mp_cstack_check(void); void g(void) { mp_cstack_check(); }\n"
        "int f(int n) { if (porter_stack_is_low()) { porter_raise_overflow(); return {}; } "
        "return n ? f(n - 1) : 0; }",
    )

    @on_body
    def function(self, function: Node, block: Node) -> Iterator[Edit]:
        """Insert a stack check at the start of a function in `WholeProgram.guarded`."""
        if symbol_key(self.unit.name, function.cursor) in self.program.guarded:
            leave = leaving(function)
            check = f" if (porter_stack_is_low()) {{ porter_raise_overflow(); {leave} }}"
            yield insert(block.start + 1, check, self.name)
