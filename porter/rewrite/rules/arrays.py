"""Takes arrays of variable length from the stack with alloca."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, Span, replace
from porter.rewrite.program import Program
from porter.rewrite.rules.base import Example, Rule
from porter.rewrite.rules.casts import spell
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, TypeKind, Unit


class Arrays(Rule):
    """Turns an array of variable length into a pointer to memory from alloca."""

    name = "arrays"
    example = Example(
        "void f(int n) { char s[n]; s[0] = 0; }",
        "void f(int n) { char *s = (char *)__builtin_alloca(sizeof(char) * (n)); s[0] = 0; }",
    )

    def edits(self, unit: Unit, program: Program) -> Iterator[Edit]:
        for node in unit.walk():
            if node.kind == K.VAR_DECL and node.canonical.kind == TypeKind.VARIABLEARRAY:
                yield self._pointer(node)

    def _pointer(self, node: Node) -> Edit:
        element = node.canonical.element_type
        if element.kind == TypeKind.VARIABLEARRAY:
            raise self.refuse(node, "an array with more than one variable bound")
        function = next(above for above in node.ancestors() if above.kind == K.FUNCTION_DECL)
        for inner in function.walk():
            if inner.kind == K.CXX_UNARY_EXPR and any(
                below.kind == K.DECL_REF_EXPR and below.spelling == node.spelling
                for below in inner.walk()
            ):
                raise self.refuse(inner, "the size of an array of variable length")
        bound = node.children[-1]
        kind = spell(element)
        statement = node.parent
        if statement is None or len(statement.children) != 1:
            raise self.refuse(node, "an array of variable length beside other declarators")
        return replace(
            node.span,
            self.name,
            f"{kind} *{node.spelling} = ({kind} *)__builtin_alloca(sizeof({kind}) * (",
            Span(bound.start, bound.end),
            "))",
        )
