"""Moves mutable globals and static locals into the per-interpreter state struct."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.appended import append_function
from porter.rewrite.edit import Edit, Span, replace
from porter.rewrite.facts import (
    ends_in_flexible_array,
    initialiser,
    named_variable,
    static_variables,
    symbol_key,
)
from porter.rewrite.layout import fields, slots
from porter.rewrite.names import identifier
from porter.rewrite.program import Program, StateField
from porter.rewrite.rules.base import Example, Rule
from porter.rewrite.rules.casts import spell
from porter.syntax.kinds import TAGS
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, TypeKind, Unit


def _inside(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _sets_last(value: Node) -> bool:
    """Whether an initialiser list gives the last member of its struct a value."""
    count = len(fields(value.canonical))
    return value.kind == K.INIT_LIST_EXPR and any(
        slot.path[0].index == count - 1 for slot in slots(value)
    )


def _declaration_start(node: Node) -> int:
    """Where the declaration starts that a variable shares with the declarators beside it."""
    return node.start if node.parent is None else node.parent.start


def init_function(unit: str) -> str:
    """The name of the function that gives a unit's moved variables their initial values."""
    return "porter_init_" + identifier(unit)


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

    def edits(self, unit: Unit, program: Program) -> Iterator[Edit]:
        groups: dict[int, list[tuple[Node, StateField | None]]] = {}
        for node in static_variables(unit):
            moved = program.state.get(symbol_key(unit.name, node.cursor))
            groups.setdefault(_declaration_start(node), []).append((node, moved))
        for start, group in groups.items():
            yield from self._declaration(start, group)
        for node in unit.walk():
            variable = named_variable(node)
            if variable is not None:
                moved = program.state.get(symbol_key(unit.name, variable))
                if moved is not None:
                    yield replace(node.span, self.name, self._access(node, moved))
        yield from self._initial_values(unit, groups)

    def _declaration(
        self, start: int, group: list[tuple[Node, StateField | None]]
    ) -> Iterator[Edit]:
        """Removes the declaration of moved variables, and keeps a type that it defines."""
        if all(moved is None for _, moved in group):
            return
        if any(moved is None for _, moved in group):
            raise self.refuse(group[0][0], "state and constants in one declaration")
        whole = Span(start, max(node.end for node, _ in group))
        last = group[-1][0]
        above = last.parent.children if last.parent is not None else last.unit.declarations
        tags = [n.span for n in above if n.kind in TAGS and _inside(n.span, whole)]
        yield replace(whole, self.name, *tags[:1])

    def _type(self, node: Node) -> str:
        spelled = spell(node.referenced.type if node.referenced is not None else node.type)
        if "unnamed" in spelled or "anonymous" in spelled:
            raise self.refuse(node, "a mutable variable whose type has no name")
        return spelled

    def _access(self, node: Node, moved: StateField) -> str:
        return f"porter_at<{self._type(node)}>(PORTER_STATE->{moved.name})"

    def _initial_values(
        self, unit: Unit, groups: dict[int, list[tuple[Node, StateField | None]]]
    ) -> Iterator[Edit]:
        parts: list[str | Span] = []
        for group in groups.values():
            for node, moved in group:
                if moved is None or moved.unit != unit.name:
                    continue
                value = initialiser(node)
                if value is None or value.text in ("0", "NULL", "{}", "{0}"):
                    continue
                if ends_in_flexible_array(node) and _sets_last(value):
                    raise self.refuse(node, "a mutable variable with an array of any length")
                if node.canonical.get_size() != moved.size:
                    raise self.refuse(node, "an initialiser of another size than its field")
                parts += self._initial_value(node, moved, value)
        if any(moved and moved.unit == unit.name for g in groups.values() for _, moved in g):
            yield from append_function(unit, init_function(unit.name), parts, self.name)

    def _initial_value(self, node: Node, moved: StateField, value: Node) -> list[str | Span]:
        kind = self._type(node)
        field = f"PORTER_STATE->{moved.name}"
        if node.canonical.kind in (TypeKind.RECORD, TypeKind.CONSTANTARRAY):
            return [
                f"{{ using porter_kind = {kind}; porter_kind porter_value = ",
                value.span,
                f"; porter_copy({field}, &porter_value, sizeof porter_value); }}\n",
            ]
        return [f"porter_put(porter_at<{kind}>({field}), ", value.span, ");\n"]
