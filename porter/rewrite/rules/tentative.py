"""Forward declarations of constants: C calls them tentative definitions, C++ has none."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, Span, insert, replace
from porter.rewrite.facts import initialiser, symbol_key
from porter.rewrite.names import identifier
from porter.rewrite.program import Program
from porter.rewrite.rules.base import Example, Rule
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, Unit


class Tentative(Rule):
    """Turns `const T x;` before its definition into an extern, a static of a unit-unique name."""

    name = "tentative"
    example = Example(
        "static const int k; static const int k = 1;",
        "extern const int k__unit; extern const int k__unit = 1;",
    )

    def edits(self, unit: Unit, program: Program) -> Iterator[Edit]:
        suffix = _suffix(unit)
        renamed = renamed_statics(unit, program)
        for name, nodes in _constants(unit, program).items():
            given = [node for node in nodes if initialiser(node) is not None]
            for node in nodes:
                static = node.cursor.storage_class.name == "STATIC"
                if static and name in renamed:
                    at = unit.text.index("static", node.start, node.cursor.location.offset)
                    yield replace(Span(at, at + len("static")), self.name, "extern")
                    offset = node.cursor.location.offset
                    yield replace(Span(offset, offset + len(name)), self.name, name + suffix)
                elif not static and node not in given:
                    yield insert(node.start, "extern ", self.name)
            if not given:  # C gives it zeros
                yield insert(nodes[-1].end, " = {}", self.name)
        if renamed:
            for node in unit.walk():
                if node.kind == K.DECL_REF_EXPR and node.spelling in renamed:
                    target = node.referenced
                    if target is not None and target.semantic_parent.kind == K.TRANSLATION_UNIT:
                        yield replace(node.span, self.name, node.spelling + suffix)


def renamed_statics(unit: Unit, program: Program) -> frozenset[str]:
    """The static constants of a unit that this rule gives another name."""
    return frozenset(
        name
        for name, nodes in _constants(unit, program).items()
        if len(nodes) > 1
        and nodes[0].cursor.storage_class.name == "STATIC"
        and any(initialiser(node) is None for node in nodes)
    )


def renamed(name: str, unit: Unit, program: Program) -> str:
    """What a variable at file scope is called once the rule was here."""
    return name + _suffix(unit) if name in renamed_statics(unit, program) else name


def _suffix(unit: Unit) -> str:
    return "__" + identifier(unit.name)


def _constants(unit: Unit, program: Program) -> dict[str, list[Node]]:
    """Every definition of a constant at file scope, tentative or not, by name."""
    found: dict[str, list[Node]] = {}
    for node in unit.declarations:
        if (
            node.kind == K.VAR_DECL
            and node.cursor.storage_class.name in ("STATIC", "NONE")
            and symbol_key(unit.name, node.cursor) not in program.state
        ):
            found.setdefault(node.spelling, []).append(node)
    return found
