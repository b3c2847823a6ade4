"""How a loop changes its variables: steps in one direction, along a chain, around a table."""

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
_KINDS = ("+", "-", "chain", "round", "<")  # of a variable's changes


def bare(node: Node) -> Node:
    """The expression below conversions, written ones too, and parentheses."""
    while (
        node.kind in _CASTS
        and node.children
        and (node.kind != _CASTS[0] or len(node.children) == 1)
    ):
        node = node.children[-1]
    return node


def local(node: Node) -> int | None:
    """Which local variable or parameter an expression is: the offset of its declaration."""
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

    `operator` is that of `v op= amount`, or "=" for any other assignment.
    """

    node: Node
    variable: int
    operator: str
    amount: int | None
    value: Node | None = None


def changes(nodes: Iterator[Node]) -> Iterator[Assignment]:
    """The changes of local variables that some nodes make themselves."""
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
    """The change that `v = value` is: a step too, where the value is `v` and a constant."""
    value = bare(node.children[1])
    if value.kind == K.BINARY_OPERATOR and local(value.children[0]) == variable:
        operator = value.binary_operator()
        if operator in ("+", "-", *_SHRINKING):
            return Assignment(node, variable, operator, constant_value(value.children[1]), value)
    return Assignment(node, variable, "=", None, value)


@frozen(eq=False)
class Stepping:
    """What a loop does to its variables.

    `forward` and `back` are stepped on every turn, in one direction only, by constants;
    `chained` follow a member of what they point at; `around` go round a table by a remainder;
    `shrunk` are divided or shifted to the right on every turn; `changed` are all.
    """

    forward: frozenset[int]
    back: frozenset[int]
    chained: frozenset[int]
    around: frozenset[int]
    shrunk: frozenset[int]
    changed: frozenset[int]


def stepping(loop: Loop, addressed: frozenset[int]) -> Stepping:
    """How a loop steps; `addressed` are the locals whose address the function takes."""
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
    """Whether a turn may change a local variable whose address is known elsewhere."""
    return any(
        node.kind == K.CALL_EXPR
        or (has_effect(node) and not _is_prefixed(node) and local(node.children[0]) is None)
        for node in loop.nodes()
    )


def _is_prefixed(node: Node) -> bool:
    """Whether a node only uses what a step inside it gives: `*p++`, `-n--`."""
    text = node.text
    return node.kind == K.StmtExpr or (
        node.kind == K.UNARY_OPERATOR and text[0] in "*-!~&+" and text[:2] not in ("++", "--")
    )


def _direction(made: list[Assignment]) -> str | None:
    """ "+", "-" or "<" where all changes of a variable are steps of that kind."""
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
    """Whether a change is `v = (v + c) % n`."""
    if change.value is None or change.value.kind != K.BINARY_OPERATOR:
        return False
    if change.value.binary_operator() != "%":
        return False
    inner = bare(change.value.children[0])
    return inner.kind == K.BINARY_OPERATOR and local(inner.children[0]) == change.variable


def _is_chain(variable: int, made: list[Assignment], others: dict[int, list[Assignment]]) -> bool:
    """Whether a variable only takes a member of what it points at, maybe through another one."""
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
    """Whether an expression is a member, of the type of what it is reached by: `v->next`."""
    node = bare(value)
    while node.kind == K.MEMBER_REF_EXPR and node.children:
        below = node.children[0]
        if local(below) == variable and below.canonical.kind == TypeKind.POINTER:
            return _record(value) is not None and _record(value) == _record(below)
        node = bare(below)
    return False


def _record(pointer: Node) -> Cursor | None:
    """The record that a pointer points at."""
    kind = bare(pointer).canonical.get_pointee()
    return kind.get_declaration() if kind.kind == TypeKind.RECORD else None


def addressed(block: Node) -> frozenset[int]:
    """The local variables of a function's body whose address is taken."""
    taken = (local(strip(node.children[0])) for node in block.walk() if is_address(node))
    return frozenset(variable for variable in taken if variable is not None)
