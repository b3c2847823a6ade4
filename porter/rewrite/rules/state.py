"""Rules for variables: the per-interpreter state struct, and volatile with a single writer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from clang.cindex import Cursor, Type

from porter.rewrite.edit import Edit, Part, append_function, init_function, replace
from porter.rewrite.initialiser_items import fields, slots
from porter.rewrite.program import StateField
from porter.rewrite.queries import (
    ends_in_flexible_array,
    initialiser,
    is_setjmp,
    named_variable,
    static_variables,
    symbol_key,
)
from porter.rewrite.rule import Example, Rule, on, on_body
from porter.rewrite.spelling import is_nameless, spell
from porter.syntax.node import ARRAYS, TAGS, Node, Span, TypeKind
from porter.syntax.node import CursorKind as K

_VOLATILE = re.compile(r"\bvolatile\b")


def _places_of_members(kind: Type) -> Iterator[int]:
    """Yield the declaration offsets of all members of a type, nested members included."""
    kind = kind.get_canonical()
    while kind.kind in ARRAYS:
        kind = kind.element_type.get_canonical()
    if kind.kind == TypeKind.RECORD:
        for member in kind.get_fields():
            yield member.location.offset
            yield from _places_of_members(member.type)


class Volatiles(Rule):
    """Drops volatile from locals in functions with setjmp, and from members of the state."""

    # Landings are gotos, so locals keep their values across them. Only its interpreter writes a
    # state. On a GPU, a lane yields at a volatile access to global memory (docs/lab/compiled.md,
    # "Yields").

    name = "volatiles"
    example = Example(
        "int setjmp(int *); "
        "int f(int *b) { volatile int n = 0; if (setjmp(b)) return n; return ++n; }",
        "int setjmp(int *); int f(int *b) {  int n = 0; if (setjmp(b)) return n; return ++n; }",
    )

    @on_body
    def function(self, function: Node, block: Node) -> Iterator[Edit]:
        """Drop volatile from the variables of a function that calls setjmp."""
        if not any(node.kind == K.CALL_EXPR and is_setjmp(node) for node in block.walk()):
            return
        for node in function.walk():
            if node.kind in (K.VAR_DECL, K.PARM_DECL):
                yield from self._plain(node)

    @cached_property
    def own(self) -> frozenset[int]:
        """The declaration offsets of the members of all variables in the state."""
        return frozenset(
            place
            for variable in static_variables(self.unit)
            if symbol_key(self.unit.name, variable.cursor) in self.program.state
            for place in _places_of_members(variable.type)
        )

    @on(K.FIELD_DECL)
    def member(self, node: Node) -> Iterator[Edit]:
        """Drop volatile from a member of a struct that is in the state."""
        if node.cursor.location.offset in self.own:
            yield from self._plain(node)

    def _plain(self, declared: Node) -> Iterator[Edit]:
        """Drop volatile from a declaration, if the variable or member itself is volatile."""
        if declared.type.is_volatile_qualified():
            beside = declared.parent.children if declared.parent is not None else ()
            same = [node for node in beside if node.start == declared.start]
            if not all(node.type.is_volatile_qualified() for node in same):
                raise self.refuse(declared, "volatile shared with what points to others' memory")
            name_at = declared.cursor.location.offset
            for match in _VOLATILE.finditer(self.unit.text, declared.start, name_at):
                yield replace(Span(*match.span()), self.name)


Group = list[tuple[Node, StateField | None]]  # the variables of one declaration


def _sets_last(value: Node) -> bool:
    """Return whether an initialiser list sets the last member of its struct."""
    count = len(fields(value.canonical))
    return value.kind == K.INIT_LIST_EXPR and any(
        slot.path[0].index == count - 1 for slot in slots(value)
    )


def _declaration_start(node: Node) -> int:
    """Return the start of the declaration that contains a variable's declarator."""
    return node.start if node.parent is None else node.parent.start


class State(Rule):
    """Moves every mutable global, static local and constant that points at one into the state."""

    name = "state"
    example = Example(
        "static int n = 1; int next(void) { return ++n; }",
        "; int next(void) { return ++porter_at<int>(PORTER_STATE->unit_n); }\n"
        "PORTER_DEVICE void porter_init_unit(void);\n"
        "PORTER_DEVICE void porter_init_unit(void) {\n"
        "porter_put(porter_at<int>(PORTER_STATE->unit_n), 1);\n}\n",
    )

    @cached_property
    def groups(self) -> dict[int, Group]:
        """The unit's variables with static storage, by the offset of their declaration."""
        groups: dict[int, Group] = {}
        for node in static_variables(self.unit):
            moved = self._field(node.cursor)
            groups.setdefault(_declaration_start(node), []).append((node, moved))
        return groups

    def _field(self, variable: Cursor) -> StateField | None:
        return self.program.state.get(symbol_key(self.unit.name, variable))

    def before_walk(self) -> Iterator[Edit]:
        """Edit all declarators of a declaration together."""
        for start, group in self.groups.items():
            yield from self._declaration(start, group)

    @on(K.DECL_REF_EXPR)
    def use(self, node: Node) -> Iterator[Edit]:
        """Replace a use of a moved variable."""
        variable = named_variable(node)
        moved = self._field(variable) if variable is not None else None
        if moved is not None:
            yield replace(node.span, self.name, self._access(node, moved))

    def after_walk(self) -> Iterator[Edit]:
        """Append the function that stores the initial values of all moved variables."""
        ours = [
            (node, moved)
            for group in self.groups.values()
            for node, moved in group
            if moved is not None and moved.unit == self.unit.name
        ]
        parts = [part for node, moved in ours for part in self._initial_value(node, moved)]
        if ours:
            yield from append_function(self.unit, init_function(self.unit.name), parts, self.name)

    def _declaration(self, start: int, group: Group) -> Iterator[Edit]:
        """Remove the declaration of moved variables, but keep a type that it defines."""
        if all(moved is None for _, moved in group):
            return
        if any(moved is None for _, moved in group):
            raise self.refuse(group[0][0], "state and constants in one declaration")
        whole = Span(start, max(node.end for node, _ in group))
        last = group[-1][0]
        above = last.parent.children if last.parent is not None else last.unit.declarations
        tags = [n.span for n in above if n.kind in TAGS and whole.holds(n.span)]
        yield replace(whole, self.name, *tags[:1])

    def _type(self, node: Node) -> str:
        spelled = spell(node.referenced.type if node.referenced is not None else node.type)
        if is_nameless(spelled):
            raise self.refuse(node, "a mutable variable whose type has no name")
        return spelled

    def _access(self, node: Node, moved: StateField) -> str:
        return f"porter_at<{self._type(node)}>(PORTER_STATE->{moved.name})"

    def _initial_value(self, node: Node, moved: StateField) -> list[Part]:
        """Return the statement that stores a variable's initial value; empty if it is zero."""
        value = initialiser(node)
        if value is None or value.text in ("0", "NULL", "{}", "{0}"):
            return []
        if ends_in_flexible_array(node) and _sets_last(value):
            raise self.refuse(node, "a mutable variable with an array of any length")
        if node.canonical.get_size() != moved.size:
            raise self.refuse(node, "an initialiser of another size than its field")
        kind = self._type(node)
        field = f"PORTER_STATE->{moved.name}"
        if node.canonical.kind in (TypeKind.RECORD, TypeKind.CONSTANTARRAY):
            return [
                f"{{ using porter_kind = {kind}; porter_kind porter_value = ",
                value.span,
                f"; porter_copy({field}, &porter_value, sizeof porter_value); }}\n",
            ]
        return [f"porter_put(porter_at<{kind}>({field}), ", value.span, ");\n"]
