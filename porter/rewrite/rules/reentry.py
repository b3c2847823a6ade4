"""Has a function call itself through another one, for its lanes to meet again on a GPU.

`nvcc` gives a function that calls itself no convergence barrier: lanes of a warp that part in it go
on one by one until it returns, however many branches later they could have met (measured with 13.0:
`mp_quicksort` 0 barriers for 23 branches, 15 where it does not call itself). Functions that call
each other have barriers.
"""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, wrap
from porter.rewrite.queries import callee, symbol_key
from porter.rewrite.rule import Example, Rule, on_body
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node


class Reentry(Rule):
    """Puts a function between a call and the function that the call stands in."""

    name = "reentry"
    example = Example(
        "int f(int n) { return n ? f(n - 1) : 0; }",
        "int f(int n) { return n ? PORTER_REENTER(f)(n - 1) : 0; }",
    )

    @on_body
    def function(self, function: Node, block: Node) -> Iterator[Edit]:
        """Wraps the name in each call that a function makes of itself."""
        if function.type.is_function_variadic():
            return  # its arguments cannot be handed on
        own = symbol_key(self.unit.name, function.cursor)
        for node in block.walk():
            called = callee(node) if node.kind == K.CALL_EXPR else None
            if called is not None and symbol_key(self.unit.name, called.referenced) == own:
                yield wrap(node.children[0].span, "PORTER_REENTER(", ")", self.name)
