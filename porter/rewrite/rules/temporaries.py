"""Rules for unnamed and dynamic storage: variable length arrays, and compound literals."""

from __future__ import annotations

import re
from collections.abc import Iterator

from porter.rewrite.edit import Edit, Part, insert, replace
from porter.rewrite.initialiser_items import ElidedBraces, slots
from porter.rewrite.landings import jumps
from porter.rewrite.queries import body, has_effect, is_address, is_static_storage, strip
from porter.rewrite.rule import Example, Rule, on
from porter.rewrite.spelling import cpp_name, spell
from porter.syntax.node import ARRAYS, LOOPS, Node, TypeKind
from porter.syntax.node import CursorKind as K


class Arrays(Rule):
    """Turns a variable length array into a pointer to memory from alloca."""

    name = "arrays"
    example = Example(
        "void f(int n) { char s[n]; s[0] = 0; }",
        "void f(int n) { char *s = (char *)__builtin_alloca(sizeof(char) * (n)); s[0] = 0; }",
    )

    @on(K.VAR_DECL)
    def variable(self, node: Node) -> Iterator[Edit]:
        """Replace the declaration of a variable length array."""
        if node.canonical.kind != TypeKind.VARIABLEARRAY:
            return
        element = node.canonical.element_type
        if element.kind == TypeKind.VARIABLEARRAY:
            raise self.refuse(node, "an array with more than one variable bound")
        function = next(above for above in node.ancestors() if above.kind == K.FUNCTION_DECL)
        self._check_uses(function)
        bound = node.children[-1]
        kind = spell(element)
        statement = node.parent
        if statement is None or len(statement.children) != 1:
            raise self.refuse(node, "an array of variable length beside other declarators")
        kept = ""
        loops = [above for above in node.ancestors() if above.kind in LOOPS]
        if loops:
            # alloca's memory lives until the function returns: all iterations share one block.
            outermost = loops[-1]
            memory = f"array_{node.start}_"
            block = body(function)
            assert block is not None
            if _is_entered_at_its_head(outermost, block):
                self._check_bound(node, bound, outermost)
                head = f"{kind} *{memory}; {memory} = 0; "
                yield insert(outermost.start, head, self.name)
                kept = f"{memory} = {memory} ? {memory} : "
            else:
                self._check_bound(node, bound, block)
                yield insert(block.start + 1, f" void *{memory} = 0;", self.name)
                kept = f"({kind} *)({memory} = {memory} ? {memory} : "
        yield replace(
            node.span,
            self.name,
            f"{kind} *{cpp_name(node.spelling)} = {kept}"
            f"({kind} *)__builtin_alloca(sizeof({kind}) * (",
            bound.span,
            ")))" if kept.startswith("(") else "))",
        )

    def _check_uses(self, function: Node) -> None:
        """Refuse sizeof and address-of, which differ between arrays and pointers."""
        for inner in function.walk():
            if inner.kind == K.CXX_UNARY_EXPR and any(
                below.canonical.kind == TypeKind.VARIABLEARRAY for below in inner.children
            ):
                raise self.refuse(inner, "the size of an array of variable length")
            if is_address(inner) and inner.canonical.get_pointee().kind == TypeKind.VARIABLEARRAY:
                raise self.refuse(inner, "the address of an array of variable length")

    def _check_bound(self, node: Node, bound: Node, loop: Node) -> None:
        """Refuse an array length that may change between the iterations of `loop`."""
        changed = {
            strip(inner.children[0]).spelling
            for inner in loop.walk()
            if inner.children and _may_change(inner)
        }
        changed |= {inner.spelling for inner in loop.walk() if inner.kind == K.VAR_DECL}
        for inner in bound.walk():
            if inner.kind == K.CALL_EXPR or (inner.spelling and inner.spelling in changed):
                raise self.refuse(node, "an array whose length changes in a loop")


def _is_entered_at_its_head(loop: Node, block: Node) -> bool:
    """Return whether a declaration can precede a loop, and no jump enters the loop past it."""
    if loop.parent is None or loop.parent.kind != K.COMPOUND_STMT:
        return False
    return not any(
        loop.start <= jump.target < loop.end and not loop.start <= jump.source < loop.end
        for jump in jumps(block)
    )


def _may_change(node: Node) -> bool:
    """Return whether an expression assigns to its first operand or takes its address."""
    return is_address(node) or (node.kind != K.CALL_EXPR and has_effect(node))


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
