"""Rule `tentative`: replace tentative definitions of constants, which C++ lacks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from porter.rewrite.edit import Edit, insert, replace
from porter.rewrite.queries import initialiser
from porter.rewrite.rule import Example, Rule, on
from porter.rewrite.statics import Statics
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node
from porter.syntax.span import Span


class Tentative(Rule):
    """Turns `const T x;` before its definition into an extern; a static gets a unique name."""

    name = "tentative"
    example = Example(
        "static const int k; static const int k = 1;",
        "extern const int k__unit; extern const int k__unit = 1;",
    )

    @cached_property
    def statics(self) -> Statics:
        """The unit's file-scope constants and their C++ names."""
        return Statics(self.unit, self.program)

    def before_walk(self) -> Iterator[Edit]:
        """Edit all declarations of a name together."""
        for name, nodes in self.statics.constants.items():
            given = [node for node in nodes if initialiser(node) is not None]
            for node in nodes:
                if name in self.statics.renamed:
                    yield from self._rename(node)
                elif node.cursor.storage_class.name != "STATIC" and node not in given:
                    yield insert(node.start, "extern ", self.name)
            if not given:  # C gives it zeros
                yield insert(nodes[-1].end, " = {}", self.name)

    @on(K.DECL_REF_EXPR)
    def use(self, node: Node) -> Iterator[Edit]:
        """Replace a use of a renamed static constant."""
        if node.spelling in self.statics.renamed:
            target = node.referenced
            if target is not None and target.semantic_parent.kind == K.TRANSLATION_UNIT:
                yield replace(node.span, self.name, self.statics.given(node.spelling))

    def _rename(self, node: Node) -> Iterator[Edit]:
        """Turn a static declaration into an extern with a name unique in the program."""
        offset = node.cursor.location.offset
        at = self.unit.text.index("static", node.start, offset)
        yield replace(Span(at, at + len("static")), self.name, "extern")
        span = Span(offset, offset + len(node.spelling))
        yield replace(span, self.name, self.statics.given(node.spelling))
