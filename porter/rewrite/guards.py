"""Recognize code that runs only if a parameter of its function has one constant value."""

from __future__ import annotations

from collections.abc import Mapping

from porter.rewrite.queries import strip
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node

_LEAVING = (K.BREAK_STMT, K.RETURN_STMT, K.GOTO_STMT, K.CONTINUE_STMT)
_CHANGING = (K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR, K.UNARY_OPERATOR)
Guard = tuple[int, int]  # a parameter's position, and its value


def literal(node: Node) -> int | None:
    """Return the value of an integer literal below casts, or None."""
    node = strip(node)
    while node.kind == K.CSTYLE_CAST_EXPR and node.children:
        node = strip(node.children[-1])
    if node.kind != K.INTEGER_LITERAL:
        return None
    text = node.text.rstrip("uUlL")
    return int(text, 8 if text.isdigit() and text.startswith("0") else 0)


def unchanged(function: Node) -> dict[int, int]:
    """Return the parameters that a function never changes, as positions by declaration offset."""
    declared = [node for node in function.children if node.kind == K.PARM_DECL]
    found = {node.cursor.location.offset: number for number, node in enumerate(declared)}
    for node in function.walk():
        if node.kind in _CHANGING and node.children:
            name = strip(node.children[0])
            if name.kind == K.DECL_REF_EXPR and name.referenced is not None and _changes(node):
                found.pop(name.referenced.location.offset, None)
    return found


def _changes(node: Node) -> bool:
    if node.kind == K.BINARY_OPERATOR:
        return node.binary_operator() == "="
    return node.kind != K.UNARY_OPERATOR or node.text.startswith("&") or _steps(node.text)


def _steps(text: str) -> bool:
    return text.startswith(("++", "--")) or text.endswith(("++", "--"))


def guard_of(node: Node, parameters: Mapping[int, int]) -> Guard | None:
    """Return the innermost guard of a node, or None.

    A guard is an `if` that compares a parameter with a literal, or a `case` of a parameter.

    Args:
        node: The node.
        parameters: The unchanged parameters of the function, from `unchanged`.
    """
    below = node
    for above in node.ancestors():
        if above.kind == K.IF_STMT and above.children[1] is below:
            guard = _compared(strip(above.children[0]), parameters)
        elif above.kind == K.CASE_STMT and above.children[-1] is below:
            guard = _chosen(above, parameters)
        else:
            guard = None
        if guard is not None:
            return guard
        below = above
    return None


def _compared(condition: Node, parameters: Mapping[int, int]) -> Guard | None:
    if condition.kind != K.BINARY_OPERATOR or condition.binary_operator() != "==":
        return None
    left, right = condition.children
    return _guard(left, right, parameters)


def _chosen(case: Node, parameters: Mapping[int, int]) -> Guard | None:
    """Return the guard of a case that no earlier case falls through to, or None."""
    block = case.parent
    if block is None or block.kind != K.COMPOUND_STMT or block.parent is None:
        return None
    before = block.children[: block.children.index(case)]
    switch = block.parent
    if switch.kind != K.SWITCH_STMT or (before and not _leaves(before[-1])):
        return None
    return _guard(switch.children[0], case.children[0], parameters)


def _leaves(statement: Node) -> bool:
    """Return whether a statement ends in a jump, so that control does not fall through."""
    while statement.kind in (K.CASE_STMT, K.DEFAULT_STMT, K.COMPOUND_STMT) and statement.children:
        statement = statement.children[-1]
    return statement.kind in _LEAVING


def _guard(name: Node, value: Node, parameters: Mapping[int, int]) -> Guard | None:
    name = strip(name)
    if name.kind != K.DECL_REF_EXPR or name.referenced is None:
        return None
    position, number = parameters.get(name.referenced.location.offset), literal(value)
    return None if position is None or number is None else (position, number)
