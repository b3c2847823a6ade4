"""Rule `arrays`: allocate variable length arrays on the stack with alloca."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, insert, replace
from porter.rewrite.landings import jumps
from porter.rewrite.queries import body, has_effect, is_address, strip
from porter.rewrite.rule import Example, Rule, on
from porter.rewrite.spelling import cpp_name, spell
from porter.syntax.node import LOOPS, Node, TypeKind
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
