"""Collect the facts of one unit that the analysis of the whole program needs.

Input: a parsed unit. Output: `UnitFacts`, which the stage caches per unit and `program.py` merges.
Facts hold strings and numbers only, no nodes, so that they can be stored and sent to processes.
"""

from __future__ import annotations

import re

from attrs import field, frozen

from porter.rewrite.integer_flow import Flow, flows
from porter.rewrite.loop_bounds import Takers, takers_of
from porter.rewrite.loop_facts import Polling, declares_budget, polling_of
from porter.rewrite.provenance import Provenance, ProvenanceReader
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
from porter.rewrite.state_changes import FunctionChanges, Writes
from porter.syntax.node import ARRAYS, Node, Unit
from porter.syntax.node import CursorKind as K


@frozen
class FunctionFact:
    """A function definition.

    Attributes:
        key: The function's key (`symbol_key`).
        calls: The keys of the functions that it calls by name.
        indirect: Whether it calls through a pointer.
        polling: The facts of its loops.
        writes: Its accesses to static storage.
    """

    key: str
    calls: tuple[str, ...]
    indirect: bool
    polling: Polling = field(factory=Polling)
    writes: Writes = field(factory=Writes)


@frozen
class VariableFact:
    """A variable with static storage.

    Attributes:
        key: The variable's key (`symbol_key`).
        unit: The name of the unit.
        mutable: Whether the variable is not const.
        defined: Whether the declaration is a definition, a tentative one included.
        size: Bytes; negative if the type is incomplete.
        align: Alignment in bytes; negative if the type is incomplete.
        references: The keys of the variables that its initialiser names.
        flexible: Whether its struct ends in a flexible array member.
        array: Whether it is an array.
        initialised: Whether it has an initialiser.
    """

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
    """All facts of one unit.

    Attributes:
        unit: The name of the unit.
        functions: The functions that it defines.
        variables: The declarations of variables with static storage.
        never_return: The keys of functions that it declares noreturn.
        addressed: The keys of functions whose address it takes.
        flows: The edges along which sizes are traced (`integer_flow.py`).
        polls: Whether its loops may poll: it declares the port's poll budget.
        provenance: The sources and uses of its integers (`provenance.py`).
    """

    unit: str
    functions: tuple[FunctionFact, ...] = field(factory=tuple)
    variables: tuple[VariableFact, ...] = field(factory=tuple)
    never_return: tuple[str, ...] = field(factory=tuple)
    addressed: tuple[str, ...] = field(factory=tuple)
    flows: tuple[Flow, ...] = field(factory=tuple)
    polls: bool = False
    provenance: Provenance = field(factory=Provenance)


def never_returning(unit: Unit) -> dict[str, None]:
    """Return the keys of the functions that a declaration in the unit marks as noreturn."""
    return {
        symbol_key(unit.name, node.cursor): None
        for node in unit.declarations
        if node.kind == K.FUNCTION_DECL and _never_returns(node)
    }


def _never_returns(function: Node) -> bool:
    """Return whether a FUNCTION_DECL is noreturn; libclang's type omits C11's `_Noreturn`."""
    if "noreturn" in function.type.spelling:
        return True
    specifiers = function.unit.text[function.start : function.cursor.location.offset]
    return re.search(r"\b_Noreturn\b", specifiers) is not None


def collect(unit: Unit) -> UnitFacts:
    """Return the facts of a unit."""
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
    """Return the functions whose address the unit takes: possible targets of indirect calls."""
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
    """Return the keys of the variables that an initialiser names."""
    named = (named_variable(inner) for inner in value.walk(evaluated)) if value is not None else ()
    return {symbol_key(unit.name, variable): None for variable in named if variable is not None}
