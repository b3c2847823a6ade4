"""Rule `decay`: make array-to-pointer decay explicit in static initialisers."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, wrap
from porter.rewrite.queries import evaluated, initialiser, is_implicit, is_static_storage
from porter.rewrite.rule import Example, Rule, on
from porter.syntax.kinds import ARRAYS
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, TypeKind


class Decay(Rule):
    """Turns `(T *)array` in a constant into `(T *)(&(array)[0])`, which nvcc can fold."""

    name = "decay"
    example = Example(
        "const int a[2] = {1, 2}; char *const p = (char *)a;",
        "const int a[2] = {1, 2}; char *const p = (char *)(&(a)[0]);",
    )

    @on(K.VAR_DECL)
    def variable(self, variable: Node) -> Iterator[Edit]:
        """Rewrite decays in the initialiser of a variable with static storage."""
        value = initialiser(variable) if is_static_storage(variable) else None
        if value is not None:
            for node in value.walk(evaluated):
                if self._decays(node):
                    yield wrap(node.span, "(&(", ")[0])", self.name)

    @staticmethod
    def _decays(node: Node) -> bool:
        if not is_implicit(node) or node.canonical.kind != TypeKind.POINTER:
            return False
        if node.parent is not None and node.parent.kind == K.ARRAY_SUBSCRIPT_EXPR:
            return False
        below = node.children[0]
        while below.kind == K.PAREN_EXPR:
            below = below.children[0]
        return below.canonical.kind in ARRAYS and below.kind in (
            K.DECL_REF_EXPR,
            K.MEMBER_REF_EXPR,
            K.ARRAY_SUBSCRIPT_EXPR,
        )
