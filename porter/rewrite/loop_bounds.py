"""Loop bound analysis: classify what limits the number of iterations of a loop.

Induction variable analysis comes first: how a loop changes its local variables in each iteration.

`loop_facts.py` stores the class of each loop in the facts of its unit. `poll_sites.py` decides from
the class which loops poll. The analysis is syntactic and local to one function.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import Enum

from attrs import frozen
from clang.cindex import Cursor

from porter.rewrite.integer_values import constant_value
from porter.rewrite.loops import Loop, conjuncts, surely
from porter.rewrite.queries import body, has_effect, is_address, is_static_storage, strip
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


MOST_TURNS = 4096  # maximum iterations of a loop that counts as bounded by a constant
_SWAPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "!=": "!=", "==": "=="}
_UNSIGNED = (TypeKind.UCHAR, TypeKind.USHORT, TypeKind.UINT, TypeKind.ULONG, TypeKind.ULONGLONG)
_NARROW = (TypeKind.BOOL, TypeKind.CHAR_U, TypeKind.UCHAR, TypeKind.CHAR_S, TypeKind.SCHAR,
           TypeKind.SHORT, TypeKind.USHORT)  # fmt: skip
_BYTES = (TypeKind.CHAR_U, TypeKind.UCHAR, TypeKind.CHAR_S, TypeKind.SCHAR)
_CONTINUES = (0x80, 0xC0)  # masks of the bits that say whether an item of several bytes continues
_NO_STEPS = Stepping(*(frozenset[int]() for _ in range(6)))
Takers = Mapping[int, frozenset[int]]


class Bound(Enum):
    """The class of limit on the number of iterations of a loop.

    Attributes:
        CONSTANT: A constant of at most MOST_TURNS, or a logarithm.
        MEMORY: Existing memory. Each iteration accesses another element of it.
        TABLE: The slots of a hash table, walked with wraparound. The first slot depends on a hash,
            which may be an address.
        OPEN: No limit that the analysis recognizes.
    """

    CONSTANT = "constant"
    MEMORY = "memory"
    TABLE = "table"
    OPEN = "open"


def bound_of(loop: Loop, addressed: frozenset[int], takers: Takers) -> Bound:
    """Return the class of a loop's bound.

    Args:
        loop: The loop.
        addressed: The locals whose address the function takes, as offsets of their declarations.
        takers: The result of `takers_of` for the unit: functions that access an element, by the
            offset of their declaration, with the positions of the pointer parameters.
    """
    if loop.body is None:
        return Bound.OPEN
    if _is_once(loop):
        return Bound.CONSTANT
    steps = stepping(loop, addressed)
    if any(_is_counted(loop, steps, node) for node in _conditions(loop)):
        return Bound.CONSTANT
    if _halves(loop):
        return Bound.CONSTANT
    if any(_takes(node, steps, steps.around, takers) for node in loop.nodes()):
        return Bound.TABLE
    moving = steps.forward | steps.back | steps.chained
    if any(_takes(node, steps, moving, takers) for node in loop.every_turn()):
        return Bound.MEMORY
    return Bound.OPEN


def takers_of(functions: Iterable[Node]) -> dict[int, frozenset[int]]:
    """Return the functions that on every call access the element to which a parameter points."""
    found = {}
    for function in functions:
        block = body(function)
        if block is None or any(True for _ in changes(block.walk())):
            continue
        parameters = [node for node in function.children if node.kind == K.PARM_DECL]
        sure = list(surely(block))
        leading = frozenset(
            at
            for at, parameter in enumerate(parameters)
            if any(
                _takes(node, _NO_STEPS, frozenset({parameter.cursor.location.offset}), {})
                for node in sure
            )
        )
        if leading:
            found[int(function.cursor.location.offset)] = leading
    return found


def _halves(loop: Loop) -> bool:
    """Return whether a loop is a binary search: each iteration moves one bound to the middle."""
    if loop.condition is None or loop.body is None:
        return False
    borders = {local(node) for node in loop.condition.walk()} - {None}
    made = list(changes(loop.nodes()))
    middles = {
        change.variable
        for change in made
        if change.value is not None and change.amount is None and _is_middle(change.value, borders)
    }
    set_to_middle = {
        change.node
        for change in made
        if change.variable in borders
        and change.value is not None
        and any(local(node) in middles for node in change.value.walk())
    }
    if any(change.variable in borders and change.node not in set_to_middle for change in made):
        return False
    return any(
        statement.kind == K.IF_STMT
        and len(statement.children) == 3
        and all(set_to_middle.intersection(branch.walk()) for branch in statement.children[1:])
        for statement in loop.body.children
    )


def _is_middle(value: Node, borders: Collection[int | None]) -> bool:
    """Return whether an expression is `(a + b) / 2`."""
    node = bare(value)
    if node.kind != K.BINARY_OPERATOR or node.binary_operator() != "/":
        return False
    if constant_value(node.children[1]) != 2:
        return False
    total = bare(node.children[0])
    return (
        total.kind == K.BINARY_OPERATOR
        and total.binary_operator() == "+"
        and len(borders) == 2
        and {local(side) for side in total.children} == borders
    )


def belongs(inner: Loop, outer: Loop, addressed: frozenset[int]) -> bool:
    """Return whether an inner loop walks an array that belongs to an outer loop's list element."""
    chained = stepping(outer, addressed).chained
    return any(
        node.kind == K.ARRAY_SUBSCRIPT_EXPR
        and any(local(below) in chained for below in node.children[0].walk())
        for node in inner.every_turn()
    )


def is_repaid(inner: Loop, outer: Loop, addressed: frozenset[int]) -> bool:
    """Return whether an inner loop only counts down what the outer one counted up by one.

    It then has at most as many iterations as the outer loop, in all.
    """
    tested = {_counted_to_zero(condition) for condition in _conditions(inner)}
    back = stepping(inner, addressed).back
    down = {variable for variable in back if variable in tested and _steps_by_one(inner, variable)}
    mine = {change.node for change in changes(inner.nodes())}
    up = [
        change
        for change in changes(outer.nodes())
        if change.variable in down and change.node not in mine
    ]
    return bool(down) and all(change.operator == "+" and change.amount == 1 for change in up)


def _counted_to_zero(condition: Node) -> int | None:
    """Return the local variable that a condition compares with zero: `v`, `v != 0` or `v > 0`."""
    operator, left, limit = _comparison(condition)
    if operator in ("!=", ">") and limit == 0:
        return local(left)
    return local(condition)


def is_encoding(loop: Loop) -> bool:
    """Return whether a loop reads one item of a variable number of bytes: few iterations.

    Bits of a byte say whether the item continues, as in UTF-8 and in integers of bytecode.
    """
    for condition in _conditions(loop):
        operator, left, limit = _comparison(condition)
        tested = bare(condition) if limit is None or operator not in ("!=", "==") else bare(left)
        if tested.kind == K.BINARY_OPERATOR and tested.binary_operator() == "&":
            byte, mask = map(bare, tested.children)
            if byte.canonical.kind in _BYTES and constant_value(mask) in _CONTINUES:
                return True
    return False


def _conditions(loop: Loop) -> list[Node]:
    return [] if loop.condition is None else list(conjuncts(loop.condition))


def _is_once(loop: Loop) -> bool:
    """Return whether a loop is `do { } while (0)`."""
    return loop.condition is not None and constant_value(loop.condition) == 0


def _is_counted(loop: Loop, steps: Stepping, condition: Node) -> bool:
    """Return whether a constant limits for how many iterations a condition holds."""
    if _is_masked(condition, steps):
        return True
    operator, left, limit = _comparison(condition)
    change = next(changes(iter([left])), None)
    variable = local(left) if change is None else change.variable
    if variable is None or limit is None:
        return False
    if variable in steps.shrunk:
        positive = (operator == ">" and limit >= 0) or (operator == ">=" and limit > 0)
        return positive or (
            operator == "!=" and limit == 0 and bare(left).canonical.kind in _UNSIGNED
        )
    first = _first_value(loop, variable)
    if variable in steps.forward and operator in ("<", "<="):
        if first is None and left.canonical.kind in _UNSIGNED:
            first = 0
        return first is not None and limit - first <= MOST_TURNS
    if variable in steps.back and operator in (">", ">="):
        return first is not None and first - limit <= MOST_TURNS
    if variable in steps.back and operator == "!=" and limit == 0:
        return first is not None and 0 <= first <= MOST_TURNS and _steps_by_one(loop, variable)
    return False


def _steps_by_one(loop: Loop, variable: int) -> bool:
    made = [change for change in changes(loop.nodes()) if change.variable == variable]
    return len(made) == 1 and made[0].amount == 1


def _is_masked(condition: Node, steps: Stepping) -> bool:
    """Return whether a condition is `a & v` where each iteration shifts the mask `v` right."""
    node = bare(condition)
    return (
        node.kind == K.BINARY_OPERATOR
        and node.binary_operator() == "&"
        and any(
            local(side) in steps.shrunk and side.canonical.kind in _UNSIGNED
            for side in node.children
        )
    )


def _comparison(condition: Node) -> tuple[str, Node, int | None]:
    """Return a condition as operator, operand and constant."""
    node = bare(condition)
    if node.kind == K.BINARY_OPERATOR and (operator := node.binary_operator()) in _SWAPPED:
        left, right = node.children
        limit = constant_value(right)
        if limit is None and (limit := constant_value(left)) is not None:
            return _SWAPPED[operator], bare(right), limit
        return operator, bare(left), limit
    return "!=", node, 0


def _first_value(loop: Loop, variable: int) -> int | None:
    """Return the constant to which a for statement initialises a variable, or None."""
    if loop.start is None:
        return None
    given = [change for change in changes(loop.start.walk()) if change.variable == variable]
    if len(given) == 1 and given[0].value is not None and given[0].operator == "=":
        return constant_value(given[0].value)
    return None


def _takes(node: Node, steps: Stepping, moving: frozenset[int], takers: Takers) -> bool:
    """Return whether a node accesses an element whose address depends on one of `moving`."""
    if node.kind == K.ARRAY_SUBSCRIPT_EXPR:
        base, index = node.children
        return (_leads(index, steps, moving) and _is_fixed(base, steps)) or (
            _leads(base, steps, moving) and _is_fixed(index, steps)
        )
    if node.kind == K.UNARY_OPERATOR and node.text.startswith("*"):
        return _leads(node.children[0], steps, moving)
    if node.kind == K.CALL_EXPR and node.referenced is not None:
        given = takers.get(node.referenced.location.offset, frozenset())
        return any(
            at in given and _leads(argument, steps, moving)
            for at, argument in enumerate(node.children[1:])
        )
    if node.kind == K.MEMBER_REF_EXPR and node.children:
        below = node.children[0]
        return below.canonical.kind == TypeKind.POINTER and _leads(below, steps, moving)
    return False


def _leads(node: Node, steps: Stepping, moving: frozenset[int]) -> bool:
    """Return whether an expression takes a new value each iteration because of `moving`."""
    node = bare(node)
    variable = local(node)
    if variable is not None:
        return variable in moving and node.canonical.kind not in _NARROW
    if node.kind == K.BINARY_OPERATOR and node.binary_operator() in ("+", "-"):
        left, right = node.children
        return (_leads(left, steps, moving) and _is_fixed(right, steps)) or (
            _is_fixed(left, steps) and _leads(right, steps, moving)
        )
    if node.kind == K.BINARY_OPERATOR and node.binary_operator() == "*":
        left, right = node.children
        return bool(constant_value(right) and _leads(left, steps, moving)) or bool(
            constant_value(left) and _leads(right, steps, moving)
        )
    change: Assignment | None = next(changes(iter([node])), None)
    return change is not None and node.kind == K.UNARY_OPERATOR and change.variable in moving


def _is_fixed(node: Node, steps: Stepping) -> bool:
    """Return whether an expression is loop-invariant: no calls, no changed variables."""
    return not any(
        inner.kind in (K.CALL_EXPR, K.StmtExpr) or local(inner) in steps.changed
        for inner in node.walk()
        if inner.kind in (K.CALL_EXPR, K.StmtExpr, K.DECL_REF_EXPR)
    )
