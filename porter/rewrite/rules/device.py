"""Marks functions and objects for the device and keeps C's linkage."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, insert
from porter.rewrite.facts import body, initialiser, is_constant, symbol_key
from porter.rewrite.program import Program
from porter.rewrite.rules.base import Example, Rule
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, Unit

MARK = "PORTER_DEVICE "
# nvcc inlines until littlefs is 17 MB of PTX and takes minutes; it may inline what is shorter
# than this many characters, and what C calls inline.
LONG = 300


class Device(Rule):
    """Puts the device attribute on functions and constants, and C linkage around the unit."""

    name = "device"
    example = Example(
        "const int k = 1; int f(void);",
        'extern "C" {\nextern PORTER_DEVICE const int k = 1; PORTER_DEVICE int f(void);\n}\n',
    )

    def edits(self, unit: Unit, program: Program) -> Iterator[Edit]:
        yield insert(0, 'extern "C" {\n', self.name)
        yield insert(len(unit.text), "\n}\n", self.name)
        for node in unit.declarations:
            if node.kind == K.FUNCTION_DECL:
                yield insert(node.start, self._function_mark(node), self.name)
            elif (
                node.kind == K.VAR_DECL and symbol_key(unit.name, node.cursor) not in program.state
            ):
                yield self._variable(node)

    def _function_mark(self, node: Node) -> str:
        block = body(node)
        if block is None or block.end - block.start < LONG:
            return MARK
        head = node.unit.code_between(node.start, block.start)
        return MARK if "inline" in head else MARK + "PORTER_NOINLINE "

    def _variable(self, node: Node) -> Edit:
        """C's `const` objects are visible to other units; C++'s are not unless they say so."""
        storage = node.cursor.storage_class.name
        if storage == "NONE" and is_constant(node) and initialiser(node) is not None:
            return insert(node.start, f"extern {MARK}", self.name)
        return insert(node.start, MARK, self.name)
