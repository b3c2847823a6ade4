"""Rule `sandbox`: refuse addresses that a program chooses, and code from outside."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, Part, insert, replace
from porter.rewrite.exits import exits_of
from porter.rewrite.queries import leaving, symbol_key
from porter.rewrite.rule import Example, Rule, on, on_body
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node


class Sandbox(Rule):
    """Raises, in a sandbox, before an integer of the Python program becomes a pointer."""

    name = "sandbox"
    example = Example(
        "typedef void *mp_obj_t; long mp_get(mp_obj_t); "
        "char *f(mp_obj_t o) { return (char *)mp_get(o); }",
        "typedef void *mp_obj_t; long mp_get(mp_obj_t); "
        "char *f(mp_obj_t o) { return ({ if (porter_sandboxed()) { porter_refuse(); return {}; } "
        "(char *)mp_get(o); }); }",
    )

    @on_body
    def function(self, function: Node, block: Node) -> Iterator[Edit]:
        """Insert a check at the start of a function that loads code."""
        if symbol_key(self.unit.name, function.cursor) in self.program.refused.loaders:
            check = f"if (porter_sandboxed()) {{ porter_refuse(); {leaving(function)} }}"
            yield insert(block.start + 1, f" {check}", self.name)

    @on(K.CSTYLE_CAST_EXPR, K.CALL_EXPR)
    def expression(self, node: Node) -> Iterator[Edit]:
        """Insert a check before an expression in `WholeProgram.refused`."""
        places = self.program.refused.places.get(self.unit.name, ())
        if (node.start, node.end) in places:
            exits = exits_of(node.top(), self.program)
            steps = exits.steps(exits.covering(node), node)
            yield replace(node.span, self.name, "({ ", *_check(steps), " ", node.span, "; })")


def _check(steps: list[Part]) -> list[Part]:
    return ["if (porter_sandboxed()) { porter_refuse(); ", *steps, " }"]
