"""Rule `volatiles`: drop volatile from locals and from the state, which have a single writer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from clang.cindex import Type

from porter.rewrite.edit import Edit, replace
from porter.rewrite.queries import is_setjmp, static_variables, symbol_key
from porter.rewrite.rule import Example, Rule, on, on_body
from porter.syntax.node import ARRAYS, Node, Span, TypeKind
from porter.syntax.node import CursorKind as K

_VOLATILE = re.compile(r"\bvolatile\b")


def _places_of_members(kind: Type) -> Iterator[int]:
    """Yield the declaration offsets of all members of a type, nested members included."""
    kind = kind.get_canonical()
    while kind.kind in ARRAYS:
        kind = kind.element_type.get_canonical()
    if kind.kind == TypeKind.RECORD:
        for member in kind.get_fields():
            yield member.location.offset
            yield from _places_of_members(member.type)


class Volatiles(Rule):
    """Drops volatile from locals in functions with setjmp, and from members of the state."""

    # Landings are gotos, so locals keep their values across them. Only its interpreter writes a
    # state. On a GPU, a lane yields at a volatile access to global memory (docs/lab/compiled.md,
    # "Yields").

    name = "volatiles"
    example = Example(
        "int setjmp(int *); "
        "int f(int *b) { volatile int n = 0; if (setjmp(b)) return n; return ++n; }",
        "int setjmp(int *); int f(int *b) {  int n = 0; if (setjmp(b)) return n; return ++n; }",
    )

    @on_body
    def function(self, function: Node, block: Node) -> Iterator[Edit]:
        """Drop volatile from the variables of a function that calls setjmp."""
        if not any(node.kind == K.CALL_EXPR and is_setjmp(node) for node in block.walk()):
            return
        for node in function.walk():
            if node.kind in (K.VAR_DECL, K.PARM_DECL):
                yield from self._plain(node)

    @cached_property
    def own(self) -> frozenset[int]:
        """The declaration offsets of the members of all variables in the state."""
        return frozenset(
            place
            for variable in static_variables(self.unit)
            if symbol_key(self.unit.name, variable.cursor) in self.program.state
            for place in _places_of_members(variable.type)
        )

    @on(K.FIELD_DECL)
    def member(self, node: Node) -> Iterator[Edit]:
        """Drop volatile from a member of a struct that is in the state."""
        if node.cursor.location.offset in self.own:
            yield from self._plain(node)

    def _plain(self, declared: Node) -> Iterator[Edit]:
        """Drop volatile from a declaration, if the variable or member itself is volatile."""
        if declared.type.is_volatile_qualified():
            beside = declared.parent.children if declared.parent is not None else ()
            same = [node for node in beside if node.start == declared.start]
            if not all(node.type.is_volatile_qualified() for node in same):
                raise self.refuse(declared, "volatile shared with what points to others' memory")
            name_at = declared.cursor.location.offset
            for match in _VOLATILE.finditer(self.unit.text, declared.start, name_at):
                yield replace(Span(*match.span()), self.name)
