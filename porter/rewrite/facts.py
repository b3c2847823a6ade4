"""What one unit tells about the whole program: its functions, variables and who names whom."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from attrs import field, frozen
from clang.cindex import Cursor, Type

from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, TypeKind, Unit

_LOOK_THROUGH = (K.UNEXPOSED_EXPR, K.PAREN_EXPR)


@frozen
class FunctionFact:
    """One function definition: whom it calls by name, and whether it calls through a pointer."""

    key: str
    calls: tuple[str, ...]
    indirect: bool


@frozen
class VariableFact:
    """One variable with static storage. Sizes are bytes; -1 where an extent is not known."""

    key: str
    unit: str
    mutable: bool
    defined: bool
    size: int
    align: int
    references: tuple[str, ...]
    flexible: bool
    array: bool
    initialised: bool


@frozen
class UnitFacts:
    """All facts of one unit."""

    unit: str
    functions: tuple[FunctionFact, ...] = field(factory=tuple)
    variables: tuple[VariableFact, ...] = field(factory=tuple)
    never_return: tuple[str, ...] = field(factory=tuple)
    addressed: tuple[str, ...] = field(factory=tuple)


def strip(node: Node) -> Node:
    """The expression below implicit conversions and parentheses."""
    while node.kind in _LOOK_THROUGH and len(node.children) == 1:
        node = node.children[0]
    return node


def callee(call: Node) -> Node | None:
    """The reference to the function that a call names, or None for a call through a pointer."""
    if not call.children:
        return None
    target = strip(call.children[0])
    if target.kind == K.UNARY_OPERATOR and target.text.startswith(("*", "&")):
        target = strip(target.children[0])
    if target.kind != K.DECL_REF_EXPR or target.referenced is None:
        return None
    return target if target.referenced.kind == K.FUNCTION_DECL else None


def named_variable(node: Node) -> Cursor | None:
    """The variable that a reference names, or None for any other node."""
    if node.kind != K.DECL_REF_EXPR or node.referenced is None:
        return None
    return node.referenced if node.referenced.kind == K.VAR_DECL else None


def calls_pointer(call: Node) -> bool:
    """Whether a call goes through a pointer; a compiler's builtin does not."""
    return callee(call) is None and not call.spelling.startswith("__builtin_")


def symbol_key(unit: str, cursor: Cursor) -> str:
    """A name for a function or variable that is unique in the program.

    External names stand for themselves; static ones carry their unit, static locals their
    function and offset too.
    """
    name = str(cursor.spelling)
    if cursor.storage_class.name != "STATIC":
        return name
    parent = cursor.semantic_parent
    if parent is not None and parent.kind == K.FUNCTION_DECL:
        offset = cursor.location.offset  # the extent depends on how a cursor was reached
        return f"{unit}:{parent.spelling}.{name}@{offset}"
    return f"{unit}:{name}"


def is_static_storage(node: Node) -> bool:
    """Whether a VAR_DECL lives as long as the program."""
    if node.parent is None:
        return True
    return node.cursor.storage_class.name in ("STATIC", "EXTERN")


def element_type(node: Node) -> Type:
    """A variable's canonical type, or that of its innermost array element."""
    kind = node.canonical
    while kind.kind in (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY):
        kind = kind.element_type.get_canonical()
    return kind


def is_constant(node: Node) -> bool:
    """Whether a variable itself (for an array, its elements) is const.

    libclang keeps the const of an array's elements at any of its levels.
    """
    kind = node.canonical
    while kind.kind in (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY):
        if kind.is_const_qualified():
            return True
        kind = kind.element_type.get_canonical()
    return bool(kind.is_const_qualified())


def initialiser(node: Node) -> Node | None:
    """The initialiser expression of a VAR_DECL, or None."""
    if not node.children:
        return None
    last = node.children[-1]
    name_at = node.cursor.location.offset
    if last.start <= name_at or not last.kind.is_expression():
        return None
    between = node.unit.code_between(name_at, last.start)
    return last if "=" in between else None


def evaluated(node: Node) -> bool:
    """Enters every node but the operands of sizeof, alignof and typeof, which do not run."""
    return bool(node.kind != K.CXX_UNARY_EXPR)


def has_effect(node: Node) -> bool:
    """Whether a node itself changes something or may: a call, an assignment, a step."""
    if node.kind == K.UNARY_OPERATOR:
        return node.text.startswith(("++", "--")) or node.text.endswith(("++", "--"))
    if node.kind == K.BINARY_OPERATOR:
        return node.binary_operator() == "="
    return node.kind in (K.CALL_EXPR, K.COMPOUND_ASSIGNMENT_OPERATOR, K.StmtExpr)


def static_variables(unit: Unit) -> Iterator[Node]:
    """Every declaration of a variable with static storage, headers' included."""
    for node in unit.declarations:
        if node.kind == K.VAR_DECL:
            yield node
        elif node.kind == K.FUNCTION_DECL:
            for inner in node.walk():
                if inner.kind == K.VAR_DECL and is_static_storage(inner):
                    yield inner


def body(function: Node) -> Node | None:
    """The body of a FUNCTION_DECL, or None for a prototype."""
    last = function.children[-1] if function.children else None
    return last if last is not None and last.kind == K.COMPOUND_STMT else None


def never_returning(unit: Unit) -> dict[str, None]:
    """The functions that some declaration of the unit calls noreturn, by key."""
    return {
        symbol_key(unit.name, node.cursor): None
        for node in unit.declarations
        if node.kind == K.FUNCTION_DECL and _never_returns(node)
    }


def _never_returns(function: Node) -> bool:
    """Whether a FUNCTION_DECL has the attribute; its type does not show C11's `_Noreturn`."""
    if "noreturn" in function.type.spelling:
        return True
    specifiers = function.unit.text[function.start : function.cursor.location.offset]
    return re.search(r"\b_Noreturn\b", specifiers) is not None


def collect(unit: Unit) -> UnitFacts:
    """Reads a unit's facts."""
    functions = [
        _function_fact(unit, node)
        for node in unit.declarations
        if node.kind == K.FUNCTION_DECL and body(node) is not None
    ]
    variables = [_variable_fact(unit, node) for node in static_variables(unit)]
    return UnitFacts(
        unit.name,
        tuple(functions),
        tuple(variables),
        tuple(never_returning(unit)),
        tuple(_addressed(unit)),
    )


def _addressed(unit: Unit) -> dict[str, None]:
    """The functions whose address the unit takes: what a call through a pointer may reach."""
    called: set[int] = set()
    for node in unit.walk():
        target = callee(node) if node.kind == K.CALL_EXPR else None
        if target is not None:
            called.add(target.start)
    return {
        symbol_key(unit.name, node.referenced): None
        for node in unit.walk(evaluated)
        if node.kind == K.DECL_REF_EXPR
        and node.start not in called
        and node.referenced is not None
        and node.referenced.kind == K.FUNCTION_DECL
    }


def _function_fact(unit: Unit, node: Node) -> FunctionFact:
    calls: dict[str, None] = {}
    indirect = False
    for inner in node.walk(evaluated):
        if inner.kind != K.CALL_EXPR:
            continue
        target = callee(inner)
        if target is None:
            indirect = indirect or calls_pointer(inner)
        else:
            calls[symbol_key(unit.name, target.referenced)] = None
    return FunctionFact(symbol_key(unit.name, node.cursor), tuple(calls), indirect)


def _variable_fact(unit: Unit, node: Node) -> VariableFact:
    value = initialiser(node)
    is_extern = node.cursor.storage_class.name == "EXTERN"
    return VariableFact(
        key=symbol_key(unit.name, node.cursor),
        unit=unit.name,
        mutable=not is_constant(node),
        defined=value is not None or not is_extern,
        size=node.canonical.get_size(),
        align=node.canonical.get_align(),
        references=tuple(_referenced_variables(unit, [value] if value else [])),
        flexible=ends_in_flexible_array(node),
        initialised=value is not None,
        array=node.canonical.kind in (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY),
    )


def _referenced_variables(unit: Unit, roots: Iterable[Node]) -> dict[str, None]:
    found: dict[str, None] = {}
    for root in roots:
        for inner in root.walk(evaluated):
            variable = named_variable(inner)
            if variable is not None:
                found[symbol_key(unit.name, variable)] = None
    return found


def ends_in_flexible_array(node: Node) -> bool:
    """Whether a variable is a struct, or an array of structs, whose last member has no bound."""
    kind = element_type(node)
    fields = list(kind.get_fields())
    return bool(fields) and fields[-1].type.get_canonical().kind == TypeKind.INCOMPLETEARRAY
