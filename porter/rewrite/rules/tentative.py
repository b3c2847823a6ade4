"""Gives forward-declared static constants external linkage under a name of their own."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, Span, replace
from porter.rewrite.facts import initialiser, symbol_key
from porter.rewrite.names import identifier
from porter.rewrite.program import Program
from porter.rewrite.rules.base import Example, Rule
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, Unit


class Tentative(Rule):
    """Turns `static const T x;` before its definition into an extern of a unit-unique name."""

    name = "tentative"
    example = Example(
        "static const int k; static const int k = 1;",
        "extern const int k__unit; extern const int k__unit = 1;",
    )

    def edits(self, unit: Unit, program: Program) -> Iterator[Edit]:
        suffix = "__" + identifier(unit.name)
        statics: dict[str, list[Node]] = {}
        for node in unit.declarations:
            if (
                node.kind == K.VAR_DECL
                and node.cursor.storage_class.name == "STATIC"
                and symbol_key(unit.name, node.cursor) not in program.state
            ):
                statics.setdefault(node.spelling, []).append(node)
        renamed = {
            name
            for name, nodes in statics.items()
            if len(nodes) > 1 and any(initialiser(node) is None for node in nodes)
        }
        for name in renamed:
            for node in statics[name]:
                at = unit.text.index("static", node.start, node.cursor.location.offset)
                yield replace(Span(at, at + len("static")), self.name, "extern")
                offset = node.cursor.location.offset
                yield replace(Span(offset, offset + len(name)), self.name, name + suffix)
        if renamed:
            for node in unit.walk():
                if node.kind == K.DECL_REF_EXPR and node.spelling in renamed:
                    target = node.referenced
                    if target is not None and target.semantic_parent.kind == K.TRANSLATION_UNIT:
                        yield replace(node.span, self.name, node.spelling + suffix)
