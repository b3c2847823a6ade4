"""Rule `targets`: check indirect calls in bounds-checked builds (`--fences`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from porter.rewrite.appended import append_function, targets_function
from porter.rewrite.edit import Edit, insert, wrap
from porter.rewrite.names import cpp_name
from porter.rewrite.queries import calls_pointer
from porter.rewrite.rule import Example, Rule, on
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
        "#if PORTER_FENCES\n\n"
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
        yield insert(end, "\n#if PORTER_FENCES\n", self.name)
        yield from append_function(self.unit, targets_function(self.unit.name), adding, self.name)
        yield insert(end, "#endif\n", self.name)
