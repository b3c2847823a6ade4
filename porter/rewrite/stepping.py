"""Induction variable analysis: how a loop changes its local variables in each iteration."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen
from clang.cindex import Cursor

from porter.rewrite.constants import constant_value
from porter.rewrite.loops import Loop
from porter.rewrite.queries import has_effect, is_address, is_static_storage, strip
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, TypeKind

_CASTS = (K.UNEXPOSED_EXPR, K.PAREN_EXPR, K.CSTYLE_CAST_EXPR)
_SHRINKING = (">>", "/")
_KINDS = ("+", "-", "chain", "round", "<")  # of induction: up, down, linked list, modulo, shrinking


def bare(node: Node) -> Node:
    """Return the expression below parentheses, implicit conversions and casts."""
    while (
        node.kind in _CASTS
        and node.children
        and (node.kind != _CASTS[0] or len(node.children) == 1)
    ):
        node = node.children[-1]
    return node


def local(node: Node) -> int | None:
    """Return the declaration offset of the local or parameter that an expression names, or None."""
    node = bare(node)
    if node.kind != K.DECL_REF_EXPR or node.referenced is None:
        return None
    declared = node.referenced
    if declared.kind == K.PARM_DECL:
        return int(declared.location.offset)
    is_local = declared.kind == K.VAR_DECL and declared.semantic_parent.kind == K.FUNCTION_DECL
    if not is_local or declared.storage_class.name in ("STATIC", "EXTERN"):
        return None
    return int(declared.location.offset)


@frozen(eq=False)
class Assignment:
    """An assignment to a local variable.

    Attributes:
        node: The assignment, step or declaration.
        variable: The offset of the variable's declaration.
        operator: The operator of `v op= amount`, or `=` for any other assignment.
        amount: The amount if it is a constant, else None.
        value: The assigned expression, if there is one.
    """

    node: Node
    variable: int
    operator: str
    amount: int | None
    value: Node | None = None


def changes(nodes: Iterator[Node]) -> Iterator[Assignment]:
    """Yield the assignments to local variables among some nodes."""
    for node in nodes:
        found = _change(node)
        if found is not None:
            yield found


def _change(node: Node) -> Assignment | None:
    if node.kind == K.UNARY_OPERATOR and (
        "++" in (ends := node.text[:2] + node.text[-2:]) or "--" in ends
    ):
        variable = local(node.children[0])
        operator = "+" if node.text.startswith("++") or node.text.endswith("++") else "-"
        return None if variable is None else Assignment(node, variable, operator, 1)
    if node.kind == K.VAR_DECL and node.children and not is_static_storage(node):
        value = node.children[-1]
        if value.kind.is_expression():
            return Assignment(node, int(node.cursor.location.offset), "=", None, value)
    if node.kind == K.COMPOUND_ASSIGNMENT_OPERATOR:
        variable = local(node.children[0])
        if variable is not None:
            operator = node.binary_operator().removesuffix("=")
            return Assignment(node, variable, operator, constant_value(node.children[1]))
    if node.kind == K.BINARY_OPERATOR and node.binary_operator() == "=":
        variable = local(node.children[0])
        if variable is not None:
            return _assigned(node, variable)
    return None


def _assigned(node: Node, variable: int) -> Assignment:
    """Return `v = value` as an assignment; `v = v + c` counts as the step `v += c`."""
    value = bare(node.children[1])
    if value.kind == K.BINARY_OPERATOR and local(value.children[0]) == variable:
        operator = value.binary_operator()
        if operator in ("+", "-", *_SHRINKING):
            return Assignment(node, variable, operator, constant_value(value.children[1]), value)
    return Assignment(node, variable, "=", None, value)


@frozen(eq=False)
class Stepping:
    """The local variables that a loop changes, by kind of change.

    Attributes:
        forward: Incremented by constants in every iteration, never decremented.
        back: Decremented by constants in every iteration, never incremented.
        chained: Pointers that follow a linked list, such as `v = v->next`.
        around: Indexes that step around a table, such as `v = (v + c) % n`.
        shrunk: Divided or shifted right in every iteration.
        changed: All variables that an iteration may change.
    """

    forward: frozenset[int]
    back: frozenset[int]
    chained: frozenset[int]
    around: frozenset[int]
    shrunk: frozenset[int]
    changed: frozenset[int]


def stepping(loop: Loop, addressed: frozenset[int]) -> Stepping:
    """Classify the variables of a loop.

    Args:
        loop: The loop.
        addressed: The locals whose address the function takes.
    """
    by_variable: dict[int, list[Assignment]] = {}
    for change in changes(loop.nodes()):
        by_variable.setdefault(change.variable, []).append(change)
    each_turn = {change.node for change in changes(loop.every_turn())}
    groups: dict[str, set[int]] = {kind: set() for kind in _KINDS}
    exposed = addressed if _writes_elsewhere(loop) else frozenset[int]()
    for variable, made in by_variable.items():
        if variable in exposed:
            continue
        if any(change.operator == "=" and _is_round(change) for change in made):
            groups["round"].add(variable)
        if not any(change.node in each_turn for change in made):
            continue
        kind = _direction(made) or ("chain" if _is_chain(variable, made, by_variable) else None)
        if kind is not None:
            groups[kind].add(variable)
    forward, back, chained, around, shrunk = (frozenset(groups[kind]) for kind in _KINDS)
    changed = frozenset(by_variable) | exposed
    return Stepping(forward, back, chained, around, shrunk, changed)


def _writes_elsewhere(loop: Loop) -> bool:
    """Return whether an iteration may change a local variable through a pointer."""
    return any(
        node.kind == K.CALL_EXPR
        or (has_effect(node) and not _is_prefixed(node) and local(node.children[0]) is None)
        for node in loop.nodes()
    )


def _is_prefixed(node: Node) -> bool:
    """Return whether a node is `*p++` or the like, or a statement expression."""
    text = node.text
    return node.kind == K.StmtExpr or (
        node.kind == K.UNARY_OPERATOR and text[0] in "*-!~&+" and text[:2] not in ("++", "--")
    )


def _direction(made: list[Assignment]) -> str | None:
    """Return "+", "-" or "<" if all changes of a variable are steps of this kind, else None."""
    kinds = set()
    for change in made:
        if change.operator in _SHRINKING and change.amount is not None:
            kinds.add("<" if change.amount > (change.operator == "/") else "")
        elif change.operator in ("+", "-") and change.amount:
            kinds.add(change.operator if change.amount > 0 else "+-".replace(change.operator, ""))
        else:
            kinds.add("")
    return kinds.pop() or None if len(kinds) == 1 else None


def _is_round(change: Assignment) -> bool:
    """Return whether a change is `v = (v + c) % n`."""
    if change.value is None or change.value.kind != K.BINARY_OPERATOR:
        return False
    if change.value.binary_operator() != "%":
        return False
    inner = bare(change.value.children[0])
    return inner.kind == K.BINARY_OPERATOR and local(inner.children[0]) == change.variable


def _is_chain(variable: int, made: list[Assignment], others: dict[int, list[Assignment]]) -> bool:
    """Return whether a pointer only follows its own link member, perhaps through a temporary."""
    for change in made:
        if change.value is None:
            return False
        value = bare(change.value)
        through = local(value)
        if through is not None and through != variable:
            steps = others.get(through, [])
            if not steps or not all(
                s.value is not None and _follows(s.value, variable) for s in steps
            ):
                return False
        elif not _follows(value, variable):
            return False
    return True


def _follows(value: Node, variable: int) -> bool:
    """Return whether an expression is a link member of `v`, such as `v->next`."""
    node = bare(value)
    while node.kind == K.MEMBER_REF_EXPR and node.children:
        below = node.children[0]
        if local(below) == variable and below.canonical.kind == TypeKind.POINTER:
            return _record(value) is not None and _record(value) == _record(below)
        node = bare(below)
    return False


def _record(pointer: Node) -> Cursor | None:
    """Return the record to which a pointer points, or None."""
    kind = bare(pointer).canonical.get_pointee()
    return kind.get_declaration() if kind.kind == TypeKind.RECORD else None


def addressed(block: Node) -> frozenset[int]:
    """Return the local variables whose address a function's body takes."""
    taken = (local(strip(node.children[0])) for node in block.walk() if is_address(node))
    return frozenset(variable for variable in taken if variable is not None)
