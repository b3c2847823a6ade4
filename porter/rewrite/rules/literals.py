"""Rule `literals`: give a compound literal whose address is used a variable."""

from __future__ import annotations

import re
from collections.abc import Iterator

from porter.rewrite.edit import Edit, Part, insert, replace
from porter.rewrite.initialiser_items import ElidedBraces, slots
from porter.rewrite.queries import is_address, is_static_storage
from porter.rewrite.rule import Example, Rule, on
from porter.rewrite.spelling import spell
from porter.syntax.node import ARRAYS, Node
from porter.syntax.node import CursorKind as K

_LONGEST = 1024  # elements; each becomes an assignment
_CONST = re.compile(r"\b(?:const|volatile)\b\s*")


class Literals(Rule):
    """Turns `&(T){...}` and `(T[]){...}` into a variable of the enclosing block."""

    name = "literals"
    example = Example(
        "int g(int *); int f(void) { return g((int[]){1, 2}); }",
        "int g(int *); int f(void) { int literal_37_[2]; "
        "return g((literal_37_[0] = 1, literal_37_[1] = 2, literal_37_)); }",
    )

    @on(K.COMPOUND_LITERAL_EXPR)
    def literal(self, node: Node) -> Iterator[Edit]:
        """Give a literal whose address is used a variable."""
        if not self._has_address(node):
            return
        if any(above.kind == K.COMPOUND_STMT for above in node.ancestors()):
            yield from self._local(node)
        else:
            yield from self._global(node)

    @staticmethod
    def _has_address(node: Node) -> bool:
        whole, above = node, node.parent
        while above is not None and above.kind in (K.PAREN_EXPR, K.MEMBER_REF_EXPR):
            whole, above = above, above.parent
        if whole.canonical.kind in ARRAYS:
            return True
        return above is not None and is_address(above)

    def _local(self, node: Node) -> Iterator[Edit]:
        variable = f"literal_{node.start}_"
        # Directly before the statement in its block: types defined earlier are in scope there.
        statement = node
        while statement.parent is not None and statement.parent.kind != K.COMPOUND_STMT:
            statement = statement.parent
        values = node.children[-1]
        parts: list[Part] = ["("]
        if node.canonical.kind in ARRAYS:
            element = _plain(spell(node.canonical.element_type))
            count = node.canonical.element_count
            declaration = f"{element} {variable}[{count}]; "
            for index, item in enumerate(self._elements(node, values, count)):
                braced = f"({element})" if item and item.kind == K.INIT_LIST_EXPR else ""
                value = item.span if item else "{}"
                parts += [f"{variable}[{index}] = {braced}", value, ", "]
        else:
            # Raw memory: a struct with const members cannot be declared now and assigned later.
            kind = _plain(spell(node.type))
            declaration = f"alignas({kind}) unsigned char {variable}[sizeof({kind})]; "
            parts = [f"porter_hold({variable}, ({kind})", values.span]
            variable = ""
        if "unnamed" in declaration:
            raise self.refuse(node, "a compound literal of a type without a name")
        yield insert(statement.start, declaration, self.name)
        yield replace(node.span, self.name, *parts, variable, ")")

    def _elements(self, node: Node, values: Node, count: int) -> list[Node | None]:
        """Return the item of each element of an array literal, or None for a missing item."""
        if node.canonical.element_type.get_canonical().kind in ARRAYS or count > _LONGEST:
            raise self.refuse(node, "a compound literal of such an array")
        elements: list[Node | None] = [None] * count
        try:
            for slot in slots(values):
                if len(slot.path) != 1 or slot.value.kind == K.STRING_LITERAL:
                    raise self.refuse(slot.value, "such an item in a compound literal of an array")
                elements[slot.path[0].index] = slot.value
        except ElidedBraces as error:
            raise self.refuse(error.node, "braces are left out in a compound literal") from error
        return elements

    def _global(self, node: Node) -> Iterator[Edit]:
        """Replace a literal at file scope, which must be constant because it is shared."""
        variable = f"literal_{node.start}_"
        top = node.top()
        if top.kind != K.VAR_DECL or not is_static_storage(top):
            raise self.refuse(node, "a compound literal outside a function and a variable")
        kind = spell(node.type)
        if not kind.startswith("const "):
            above = node.parent.parent if node.parent is not None else None
            if above is None or not above.canonical.get_pointee().is_const_qualified():
                raise self.refuse(node, "a mutable compound literal with static storage")
        head = f"static PORTER_DEVICE const {_plain(_element(kind))} {variable}{_bounds(kind)} = "
        yield Edit(top.start, top.start, (head, node.children[-1].span, "; "), self.name)
        yield replace(node.span, self.name, variable)


def _plain(kind: str) -> str:
    """Return a type without its own const; the const of a pointer's target stays."""
    if "*" in kind:
        return kind.removesuffix("const")
    return _CONST.sub("", kind).strip()


def _element(kind: str) -> str:
    return kind.partition("[")[0]


def _bounds(kind: str) -> str:
    return "".join(kind.partition("[")[1:])
