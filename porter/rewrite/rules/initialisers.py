"""Rules for initialisers: array decay, string lengths and designators, which C++ restricts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Union

from clang.cindex import Type

from porter.rewrite.edit import Edit, Part, replace, wrap
from porter.rewrite.initialiser_items import (
    ElidedBraces,
    Slot,
    Step,
    fields,
    is_union,
    member_name,
    slots,
)
from porter.rewrite.queries import (
    evaluated,
    has_effect,
    initialiser,
    is_designated,
    is_implicit,
    is_static_storage,
)
from porter.rewrite.rule import Example, Rule, on
from porter.rewrite.spelling import cpp_name
from porter.syntax.node import ARRAYS, Node, TypeKind
from porter.syntax.node import CursorKind as K


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


_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_CHARACTER = re.compile(r"\\x[0-9a-fA-F]+|\\[0-7]{1,3}|\\.|.", re.DOTALL)


class Strings(Rule):
    """Turns `char s[3] = "abc"` into a list, because C++ requires an element for the NUL."""

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


Tree = dict[int, Union[Node, "Tree"]]
_LONGEST = 65536  # items; a longer designated list is refused as a mistake


class Initialisers(Rule):
    """Turns designators into plain items in declaration order, gaps into `{}`."""

    name = "initialisers"
    example = Example(
        "struct P { int x, y, z; }; struct P p = {.z = 3, .x = 1};",
        "struct P { int x, y, z; }; struct P p = {1, {}, 3};",
    )

    @on(K.INIT_LIST_EXPR)
    def braces(self, node: Node) -> Iterator[Edit]:
        """Rewrite a list that has designators."""
        if not any(is_designated(item) for item in node.children):
            return
        try:
            placed = slots(node)
        except ElidedBraces as error:
            raise self.refuse(error.node, "braces are left out beside a designator") from error
        self._refuse_repetition(placed)
        if any(_is_nameless(node.canonical, slot) for slot in placed):
            yield from self._assignments(node, placed)
        else:
            yield replace(node.span, self.name, *self._positional(node, placed))

    def _refuse_repetition(self, placed: list[Slot]) -> None:
        """Refuse a range whose value has side effects: it is repeated for each element."""
        values = Counter(slot.value for slot in placed)
        for value, times in values.items():
            if times > 1 and any(map(has_effect, value.walk())):
                raise self.refuse(value, "a value with effects for a range of elements")

    def _assignments(self, node: Node, placed: list[Slot]) -> Iterator[Edit]:
        """Assign the items after the declaration: C++ has no designator for such members.

        The members belong to an anonymous struct inside a union.
        """
        variable = node.parent
        statement = variable.parent if variable is not None else None
        if variable is None or statement is None or statement.kind != K.DECL_STMT:
            raise self.refuse(node, "a member of something without a name inside a union")
        yield replace(node.span, self.name, "{}")
        for slot in placed:
            path = "".join(step.accessor for step in slot.path)
            yield Edit(
                statement.end,
                statement.end,
                (f" {cpp_name(variable.spelling)}{path} = ", slot.value.span, ";"),
                self.name,
            )

    def _positional(self, node: Node, placed: list[Slot]) -> list[Part]:
        tree: Tree = {}
        for slot in placed:
            self._place(tree, slot)
        return self._render(node, node.canonical, tree)

    def _place(self, tree: Tree, slot: Slot) -> None:
        for step in slot.path[:-1]:
            _drop_others(tree, step)
            below = tree.setdefault(step.index, {})
            if isinstance(below, Node):
                raise self.refuse(slot.value, "a designator reaches into an item set before")
            tree = below
        _drop_others(tree, slot.path[-1])
        tree[slot.path[-1].index] = slot.value

    def _render(self, node: Node, kind: Type, tree: Tree) -> list[Part]:
        last = max(tree)
        if last > _LONGEST:
            raise self.refuse(node, f"an initialiser list of {last + 1} items")
        parts: list[Part] = ["{"]
        indices = list(tree) if is_union(kind) else range(last + 1)
        for count, index in enumerate(indices):
            if count:
                parts.append(", ")
            if is_union(kind) and index > 0:
                parts.append(f".{cpp_name(member_name(fields(kind)[index]))} = ")
            item = tree.get(index)
            if item is None:
                parts.append("{}")
            elif isinstance(item, Node):
                parts.append(item.span)
            else:
                parts.extend(self._render(node, _member(kind, index), item))
        parts.append("}")
        return parts


def _drop_others(tree: Tree, step: Step) -> None:
    """Drop the values of other members if a step enters a member of a union."""
    if step.union:
        for index in tree.keys() - {step.index}:
            del tree[index]


def _is_nameless(kind: Type, slot: Slot) -> bool:
    """Return whether a slot sets a later member of a union and no designator can name it.

    Neither compiler has a designator for an anonymous struct inside a union. nvcc also lacks one
    for a member of an anonymous union.
    """
    before = Step(0, "the object itself")
    for step in slot.path:
        if step.union and step.index > 0 and not (step.accessor and before.accessor):
            return True
        before, kind = step, _member(kind, step.index)
    return False


def _member(kind: Type, index: int) -> Type:
    if kind.kind == TypeKind.RECORD:
        return fields(kind)[index].type.get_canonical()
    return kind.element_type.get_canonical()
