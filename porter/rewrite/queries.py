"""Queries on syntax nodes that several rules and fact collectors share.

Rules do not import each other, so a query that two modules need is defined here.
"""

from __future__ import annotations

from collections.abc import Iterator

from clang.cindex import Cursor, LinkageKind, Type

from porter.syntax.node import ARRAYS, Node, TypeKind, Unit
from porter.syntax.node import CursorKind as K

_LOOK_THROUGH = (K.UNEXPOSED_EXPR, K.PAREN_EXPR)

# Expressions


def is_implicit(node: Node) -> bool:
    """Return whether a node is an implicit conversion: its range equals that of its operand."""
    if node.kind != K.UNEXPOSED_EXPR or len(node.children) != 1:
        return False
    operand = node.children[0]
    return operand.start == node.start and operand.end == node.end


def strip(node: Node) -> Node:
    """Return the expression below implicit conversions and parentheses."""
    while node.kind in _LOOK_THROUGH and len(node.children) == 1:
        node = node.children[0]
    return node


def below_casts(node: Node) -> Node:
    """Return the expression below conversions, implicit and explicit, and parentheses."""
    node = strip(node)
    while node.kind == K.CSTYLE_CAST_EXPR and node.children:
        node = strip(node.children[-1])
    return node


def above_parentheses(node: Node) -> Node | None:
    """Return the node that uses an expression's value, skipping parentheses."""
    above = node.parent
    while above is not None and above.kind == K.PAREN_EXPR:
        above = above.parent
    return above


def is_choice(node: Node) -> bool:
    """Return whether a node is GNU's `a ?: b`, for which libclang has no kind."""
    return node.kind == K.UNEXPOSED_EXPR and len(node.children) > 1


def is_designated(item: Node) -> bool:
    """Return whether an item of an initialiser list starts with a designator."""
    return bool(item.kind == K.UNEXPOSED_EXPR and item.type.kind == TypeKind.VOID)


def is_address(node: Node) -> bool:
    """Return whether an expression takes the address of its operand."""
    return node.kind == K.UNARY_OPERATOR and node.text.startswith("&")


def has_effect(node: Node) -> bool:
    """Return whether a node may have a side effect: a call, an assignment, `++` or `--`."""
    if node.kind == K.UNARY_OPERATOR:
        return node.text.startswith(("++", "--")) or node.text.endswith(("++", "--"))
    if node.kind == K.BINARY_OPERATOR:
        return node.binary_operator() == "="
    return node.kind in (K.CALL_EXPR, K.COMPOUND_ASSIGNMENT_OPERATOR, K.StmtExpr)


def evaluated(node: Node) -> bool:
    """Return whether a node is evaluated at run time: not sizeof and the like, no static assert.

    Passed to walks, which then skip such nodes.
    """
    return node.kind not in (K.CXX_UNARY_EXPR, K.STATIC_ASSERT)


# Calls and functions


def callee(call: Node) -> Node | None:
    """Return the reference to the called function, or None for a call through a pointer."""
    if not call.children:
        return None
    target = strip(call.children[0])
    if target.kind == K.UNARY_OPERATOR and target.text.startswith(("*", "&")):
        target = strip(target.children[0])
    if target.kind != K.DECL_REF_EXPR or target.referenced is None:
        return None
    return target if target.referenced.kind == K.FUNCTION_DECL else None


def calls_pointer(call: Node) -> bool:
    """Return whether a call goes through a pointer; a compiler builtin does not."""
    return callee(call) is None and not call.spelling.startswith("__builtin_")


def is_setjmp(call: Node) -> bool:
    """Return whether a call is a call of setjmp."""
    target = callee(call)
    return target is not None and target.spelling == "setjmp"


def body(function: Node) -> Node | None:
    """Return the body of a FUNCTION_DECL, or None for a prototype."""
    last = function.children[-1] if function.children else None
    return last if last is not None and last.kind == K.COMPOUND_STMT else None


def returns_void(function: Node) -> bool:
    """Return whether a FUNCTION_DECL returns void."""
    return bool(function.cursor.result_type.get_canonical().kind == TypeKind.VOID)


def leaving(function: Node) -> str:
    """Return the statement by which a FUNCTION_DECL returns during an unwind."""
    return "return;" if returns_void(function) else "return {};"


# Variables


def named_variable(node: Node) -> Cursor | None:
    """Return the variable that a reference names, or None for any other node."""
    if node.kind != K.DECL_REF_EXPR or node.referenced is None:
        return None
    return node.referenced if node.referenced.kind == K.VAR_DECL else None


def is_static_storage(node: Node) -> bool:
    """Return whether a VAR_DECL has static storage."""
    if node.parent is None:
        return True
    return node.cursor.storage_class.name in ("STATIC", "EXTERN")


def static_variables(unit: Unit) -> Iterator[Node]:
    """Yield the declarations of variables with static storage, including those in headers."""
    for node in unit.declarations:
        if node.kind == K.VAR_DECL:
            yield node
        elif node.kind == K.FUNCTION_DECL:
            for inner in node.walk():
                if inner.kind == K.VAR_DECL and is_static_storage(inner):
                    yield inner


def initialiser(node: Node) -> Node | None:
    """Return the initialiser expression of a VAR_DECL, or None."""
    if not node.children:
        return None
    last = node.children[-1]
    name_at = node.cursor.location.offset
    if last.start <= name_at or not last.kind.is_expression():
        return None
    between = node.unit.code_between(name_at, last.start)
    return last if "=" in between else None


def is_constant(node: Node) -> bool:
    """Return whether a variable, or the elements of an array, are const.

    libclang reports the const of an array's elements at any nesting level.
    """
    kind = node.canonical
    while kind.kind in ARRAYS:
        if kind.is_const_qualified():
            return True
        kind = kind.element_type.get_canonical()
    return bool(kind.is_const_qualified())


def symbol_key(unit: str, cursor: Cursor) -> str:
    """Return a name for a function or variable that is unique in the program.

    The key of an external name is the name. The key of a static name starts with its unit. The key
    of a static local also has its function and offset.
    """
    name = str(cursor.spelling)
    # A function can be static by its prototype alone; only the linkage shows this.
    if cursor.storage_class.name != "STATIC" and cursor.linkage != LinkageKind.INTERNAL:
        return name
    parent = cursor.semantic_parent
    if parent is not None and parent.kind == K.FUNCTION_DECL:
        offset = cursor.location.offset  # the extent depends on the way to the cursor
        return f"{unit}:{parent.spelling}.{name}@{offset}"
    return f"{unit}:{name}"


# Types


def element_type(node: Node) -> Type:
    """Return a variable's canonical type, or that of its innermost array element."""
    kind = node.canonical
    while kind.kind in ARRAYS:
        kind = kind.element_type.get_canonical()
    return kind


def ends_in_flexible_array(node: Node) -> bool:
    """Return whether a variable is a struct, or array of structs, with a flexible array member."""
    kind = element_type(node)
    fields = list(kind.get_fields())
    return bool(fields) and fields[-1].type.get_canonical().kind == TypeKind.INCOMPLETEARRAY


def is_unsigned_enum(node: Node) -> bool:
    """Return whether an expression has an enum type whose C type is unsigned int."""
    if node.canonical.kind != TypeKind.ENUM:
        return False
    kind = node.canonical.get_declaration().enum_type.get_canonical().kind
    return bool(kind == TypeKind.UINT)
