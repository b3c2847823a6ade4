"""What one unit tells about the whole program: its functions, variables and who names whom."""

from __future__ import annotations

import re

from attrs import field, frozen

from porter.rewrite.bounds import Takers, takers_of
from porter.rewrite.changes import FunctionChanges
from porter.rewrite.effects import Writes
from porter.rewrite.flows import Flow, flows
from porter.rewrite.loopfacts import Polling, declares_budget, polling_of
from porter.rewrite.provenance import Provenance
from porter.rewrite.provenance_reader import ProvenanceReader
from porter.rewrite.queries import (
    body,
    callee,
    calls_pointer,
    ends_in_flexible_array,
    evaluated,
    initialiser,
    is_constant,
    named_variable,
    static_variables,
    symbol_key,
)
from porter.syntax.kinds import ARRAYS
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, Unit


@frozen
class FunctionFact:
    """One function definition: calls by name, whether through a pointer, loops and writes."""

    key: str
    calls: tuple[str, ...]
    indirect: bool
    polling: Polling = field(factory=Polling)
    writes: Writes = field(factory=Writes)


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
    """All facts of one unit. `polls`: its loops may poll, for it knows the port's budget."""

    unit: str
    functions: tuple[FunctionFact, ...] = field(factory=tuple)
    variables: tuple[VariableFact, ...] = field(factory=tuple)
    never_return: tuple[str, ...] = field(factory=tuple)
    addressed: tuple[str, ...] = field(factory=tuple)
    flows: tuple[Flow, ...] = field(factory=tuple)
    polls: bool = False
    provenance: Provenance = field(factory=Provenance)


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
    defined = [
        node
        for node in unit.declarations
        if node.kind == K.FUNCTION_DECL and body(node) is not None
    ]
    takers = takers_of(defined)
    functions = [_function_fact(unit, node, takers) for node in defined]
    variables = [_variable_fact(unit, node) for node in static_variables(unit)]
    return UnitFacts(
        unit.name,
        tuple(functions),
        tuple(variables),
        tuple(never_returning(unit)),
        tuple(_addressed(unit)),
        tuple(flows(unit)),
        declares_budget(unit),
        ProvenanceReader(unit).read(),
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


def _function_fact(unit: Unit, node: Node, takers: Takers) -> FunctionFact:
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
    block = body(node)
    assert block is not None
    changes = FunctionChanges(node)
    return FunctionFact(
        symbol_key(unit.name, node.cursor),
        tuple(calls),
        indirect,
        polling_of(unit, block, takers),
        Writes(changes.writes, changes.returned, changes.kept),
    )


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
        references=tuple(_referenced_variables(unit, value)),
        flexible=ends_in_flexible_array(node),
        initialised=value is not None,
        array=node.canonical.kind in ARRAYS,
    )


def _referenced_variables(unit: Unit, value: Node | None) -> dict[str, None]:
    """The variables that an initialiser names, by key."""
    named = (named_variable(inner) for inner in value.walk(evaluated)) if value is not None else ()
    return {symbol_key(unit.name, variable): None for variable in named if variable is not None}
