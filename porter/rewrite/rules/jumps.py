"""Rule `jumps`: split declarations that a goto or a switch jumps over."""

from __future__ import annotations

import re
from collections.abc import Iterator

from porter.rewrite.edit import Edit, Part, replace
from porter.rewrite.landings import Jump, jumps
from porter.rewrite.queries import initialiser, is_constant
from porter.rewrite.rule import Example, Rule, on_body
from porter.rewrite.spelling import cpp_name, spell
from porter.syntax.node import ARRAYS, Node, Span, TypeKind
from porter.syntax.node import CursorKind as K

_CONST = re.compile(r"\bconst\b")


class Jumps(Rule):
    """Splits `T x = v;` into a declaration and an assignment where a jump crosses it."""

    name = "jumps"
    example = Example(
        "int f(int a) { if (a) goto out; int b = a; return b; out: return 0; }",
        "int f(int a) { if (a) goto out; int b ; b = a; return b; out: return 0; }",
    )

    @on_body
    def function(self, function: Node, block: Node) -> Iterator[Edit]:
        """Split the declarations of a function that one of its jumps crosses."""
        found = list(jumps(block))
        if not found:
            return
        for node in block.walk():
            if node.kind == K.DECL_STMT and self._crossed(node, found):
                yield from self._split(node)

    @staticmethod
    def _crossed(statement: Node, found: list[Jump]) -> bool:
        scope = statement.parent
        assert scope is not None
        return any(
            statement.end <= jump.target < scope.end
            and not statement.end <= jump.source < scope.end
            for jump in found
        )

    def _split(self, statement: Node) -> Iterator[Edit]:
        scope = statement.parent
        if scope is not None and scope.kind == K.FOR_STMT:
            yield from self._split_for(statement, scope)
            return
        assignments: list[Part] = []
        for node in statement.children:
            if node.kind != K.VAR_DECL or node.cursor.storage_class.name == "STATIC":
                continue
            value = initialiser(node)
            if value is None:
                continue
            name_end = node.cursor.location.offset + len(node.spelling)
            equals = node.unit.text.index("=", self._declarator_end(node, name_end, value))
            yield replace(Span(equals, value.end), self.name)
            if is_constant(node):
                yield self._drop_const(node)
            assignments += self._assignment(node, value)
        if assignments:
            yield Edit(statement.end, statement.end, tuple(assignments), self.name)

    def _split_for(self, statement: Node, loop: Node) -> Iterator[Edit]:
        """Move the variable of a for statement to a block around the loop."""
        if len(statement.children) != 1 and not all(
            node.kind == K.VAR_DECL for node in statement.children
        ):
            raise self.refuse(statement, "a jump into a loop with such a declaration")
        declared = ""
        assigned: list[Part] = []
        for node in statement.children:
            value = initialiser(node)
            if node.kind != K.VAR_DECL:
                continue
            if value is None or node.canonical.kind in ARRAYS or is_constant(node):
                raise self.refuse(statement, "a jump into a loop with such a declaration")
            declared += f"{spell(node.type)} {cpp_name(node.spelling)}; "
            assigned += [", " if assigned else "", f"{cpp_name(node.spelling)} = ", value.span]
        yield replace(statement.span, self.name, *assigned, ";")
        yield replace(loop.span, self.name, "{ " + declared, loop.span, " }")

    @staticmethod
    def _assignment(node: Node, value: Node) -> list[Part]:
        if node.canonical.kind not in ARRAYS:
            return [f" {cpp_name(node.spelling)} = ", value.span, ";"]
        return [
            f" {{ using porter_kind = {spell(node.canonical)}; porter_kind porter_value = ",
            value.span,
            f"; porter_copy({cpp_name(node.spelling)}, porter_value, sizeof porter_value); }}",
        ]

    @staticmethod
    def _declarator_end(node: Node, start: int, value: Node) -> int:
        """Return the offset of the `=` behind a declarator's bounds or parameters."""
        text = node.unit.text
        found = [match.start() for match in re.finditer(r"=", text[start : value.start])]
        return start + found[-1] if found else start

    def _drop_const(self, node: Node) -> Edit:
        name_at = node.cursor.location.offset
        matches = list(_CONST.finditer(node.unit.text, node.start, name_at))
        if not matches:
            raise self.refuse(node, "a constant whose const stands elsewhere")
        match = matches[-1] if node.canonical.kind == TypeKind.POINTER else matches[0]
        return replace(Span(*match.span()), self.name)
