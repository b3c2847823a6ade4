"""Rule `strings`: expand string initialisers that leave no room for the final NUL."""

from __future__ import annotations

import re
from collections.abc import Iterator

from porter.rewrite.edit import Edit, replace
from porter.rewrite.queries import is_designated
from porter.rewrite.rule import Example, Rule, on
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, TypeKind

_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_CHARACTER = re.compile(r"\\x[0-9a-fA-F]+|\\[0-7]{1,3}|\\.|.", re.DOTALL)


class Strings(Rule):
    """Turns `char s[3] = "abc"` into a list, because C++ requires room for the NUL."""

    name = "strings"
    example = Example('char s[3] = "abc";', "char s[3] = {'a', 'b', 'c'};")

    @on(K.STRING_LITERAL)
    def string(self, node: Node) -> Iterator[Edit]:
        """Expand a string that fills its array without a NUL."""
        above = node.parent
        if above is None or not (
            above.kind in (K.VAR_DECL, K.INIT_LIST_EXPR) or is_designated(above)
        ):
            return
        if node.canonical.kind != TypeKind.CONSTANTARRAY:
            return
        characters = [
            character
            for literal in _LITERAL.finditer(node.text)
            for character in _CHARACTER.findall(literal.group(1))
        ]
        if len(characters) == node.canonical.element_count:
            items = ", ".join(_quote(character) for character in characters)
            # C also accepts `{"abc"}`, which already has braces. libclang gives such a list the
            # array's type, or void if it is inside another list.
            braced = above.kind == K.INIT_LIST_EXPR and (
                above.canonical.kind == TypeKind.VOID or above.canonical == node.canonical
            )
            yield replace(node.span, self.name, items if braced else "{" + items + "}")


def _quote(character: str) -> str:
    return {"'": r"'\''", r"\"": "'\"'"}.get(character, f"'{character}'")
