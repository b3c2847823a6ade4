"""Rule `tags`: qualify the tags of types that are declared inside structs."""

from __future__ import annotations

from collections.abc import Iterator

from clang.cindex import Cursor

from porter.rewrite.edit import Edit, replace
from porter.rewrite.names import cpp_name
from porter.rewrite.rule import Example, Rule, on
from porter.syntax.kinds import RECORDS, TAGS
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node


class Tags(Rule):
    """Writes `Outer::Inner` where C finds a nested struct's tag or enumerator by its bare name."""

    name = "tags"
    example = Example(
        "struct A { struct B { int n; } b; }; struct B *p;",
        "struct A { struct B { int n; } b; }; struct A::B *p;",
    )

    @on(K.TYPE_REF)
    def tag(self, node: Node) -> Iterator[Edit]:
        """Qualify a tag."""
        if node.referenced is not None:
            yield from self._qualify(node, node.referenced)

    @on(K.DECL_REF_EXPR)
    def enumerator(self, node: Node) -> Iterator[Edit]:
        """Qualify an enumerator by the struct that declares its enum."""
        if node.referenced is not None and node.referenced.kind == K.ENUM_CONSTANT_DECL:
            yield from self._qualify(node, node.referenced.semantic_parent)

    def _qualify(self, node: Node, declared: Cursor) -> Iterator[Edit]:
        if declared.kind not in TAGS:
            return
        definition = declared.get_definition()
        if definition is None:  # C++ also declares a bare `struct T *` outside the struct
            return
        names: list[str] = []
        outer = definition.lexical_parent
        while outer is not None and outer.kind in RECORDS:
            inside = outer.extent.start.offset <= node.start < outer.extent.end.offset
            if inside:
                break
            if not outer.spelling or "unnamed" in outer.spelling:
                raise self.refuse(node, "a tag declared inside a struct without a name")
            names.append(cpp_name(str(outer.spelling)))
            outer = outer.lexical_parent
        if names:
            prefix = "::".join(reversed(names))
            yield replace(node.span, self.name, f"{prefix}::", node.span)
