"""Rules for isolation: checked indirect calls, and addresses and code that a program chooses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from porter.rewrite.edit import Edit, Part, append_function, insert, replace, targets_function, wrap
from porter.rewrite.queries import calls_pointer, leaving, symbol_key
from porter.rewrite.rule import Example, Rule, on, on_body
from porter.rewrite.spelling import cpp_name
from porter.rewrite.unwind_exits import exits_of
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node

# The prefix of upstream's file names: the folder of the release's tree.
_TREE = re.compile(r"^(?:upstream|patched)/[^/]+/")


class Targets(Rule):
    """Checks the target of each call through a pointer, in bounds-checked builds (`--fences`)."""

    name = "targets"
    example = Example(
        "int g(int); int (*p)(int) = g; int f(void) { return p(1); }",
        "int g(int); int (*p)(int) = g; "
        'int f(void) { return porter_target("unit:1")(p)(1); }\n'
        "#if PORTER_BOUNDS_CHECKS\n\n"
        "PORTER_DEVICE void porter_targets_unit(void);\n"
        "PORTER_DEVICE void porter_targets_unit(void) {\n"
        "porter_target_add((const void *)(g));\n}\n"
        "#endif\n",
    )

    @on(K.CALL_EXPR)
    def call(self, call: Node) -> Iterator[Edit]:
        """Wrap the pointer of an indirect call in the check."""
        if call.children and calls_pointer(call):
            file, line, _ = self.unit.location(call.start)
            check = f'porter_target("{_TREE.sub("", file) or self.unit.name}:{line}")('
            yield wrap(call.children[0].span, check, ")", self.name)

    def after_walk(self) -> Iterator[Edit]:
        """Append the function that adds the unit's targets to the table."""
        targets = self.program.targets.get(self.unit.name)
        if targets is None:
            return
        names = (cpp_name(key.rpartition(":")[2]) for key in targets)
        adding = [f"porter_target_add((const void *)({name}));\n" for name in names]
        end = len(self.unit.text)
        yield insert(end, "\n#if PORTER_BOUNDS_CHECKS\n", self.name)
        yield from append_function(self.unit, targets_function(self.unit.name), adding, self.name)
        yield insert(end, "#endif\n", self.name)


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
