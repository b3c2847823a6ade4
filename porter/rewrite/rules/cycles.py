"""Rule `cycles`: break cycles of constants, which nvcc refuses in one translation unit."""

from __future__ import annotations

import re
from collections.abc import Iterator

from porter.rewrite.edit import Edit, Part, Without, append_function, replace, setup_function
from porter.rewrite.file_constants import Statics
from porter.rewrite.initialiser_items import ElidedBraces, Slot, slots
from porter.rewrite.queries import evaluated, initialiser, static_variables, symbol_key
from porter.rewrite.rule import Example, Rule
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, Span

_CONST = re.compile(r"\bconst\s")


class Cycles(Rule):
    """Omits a reference that closes a cycle of constants, and stores it at load."""

    name = "cycles"
    example = Example(
        "struct T { const struct T *t; }; const struct T k = {&k};",
        "struct T { const struct T *t; }; struct T k = {{}};\n"
        "PORTER_DEVICE void porter_setup_unit(void);\n"
        "PORTER_DEVICE void porter_setup_unit(void) {\nporter_put(k.t, &k);\n}\n",
    )

    def before_walk(self) -> Iterator[Edit]:
        """Edit all constants together, because one setup function stores their references."""
        unit = self.unit
        statics = Statics(unit, self.program)
        stores: list[Part] = []
        defined = False
        for node in static_variables(unit):
            targets = self.program.late.get(symbol_key(unit.name, node.cursor))
            if targets is None:
                continue
            const = _CONST.search(unit.text, node.start, node.cursor.location.offset)
            if const is None:
                raise self.refuse(node, "a constant in a cycle whose const stands elsewhere")
            yield replace(Span(*const.span()), self.name)
            value = initialiser(node)
            if value is None or not targets:
                continue
            defined = True
            for path, element in self._elements(value, targets):
                yield replace(element.span, self.name, "{}")
                name = statics.given(node.spelling)
                stores += [f"porter_put({name}{path}, ", Without(element.span, self.name), ");\n"]
        if defined:
            yield from append_function(unit, setup_function(unit.name), stores, self.name)

    def _elements(self, value: Node, targets: frozenset[str]) -> Iterator[tuple[str, Node]]:
        """Yield the innermost items that name a target, each with its C path from the variable."""
        if value.kind != K.INIT_LIST_EXPR:
            raise self.refuse(value, "a constant in a cycle that is no braced list")
        for slot in self._slots(value):
            if not any(self._names(inner, targets) for inner in slot.value.walk(evaluated)):
                continue
            path = "".join(step.accessor for step in slot.path)
            if slot.value.kind == K.INIT_LIST_EXPR:
                for below, element in self._elements(slot.value, targets):
                    yield path + below, element
            else:
                yield path, slot.value

    def _slots(self, value: Node) -> list[Slot]:
        try:
            return slots(value)
        except ElidedBraces as error:
            raise self.refuse(error.node, "a cycle through an item without braces") from error

    def _names(self, node: Node, targets: frozenset[str]) -> bool:
        return (
            node.kind == K.DECL_REF_EXPR
            and node.referenced is not None
            and symbol_key(self.unit.name, node.referenced) in targets
        )
