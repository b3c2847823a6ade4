"""The constants at file scope of a unit, and which of them get another name in C++."""

from __future__ import annotations

from functools import cached_property

from porter.rewrite.names import cpp_name, identifier
from porter.rewrite.program import WholeProgram
from porter.rewrite.queries import initialiser, symbol_key
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, Unit


class Statics:
    """A unit's definitions of constants at file scope, tentative ones included.

    C++ has no tentative definitions: a static constant that has one becomes an extern, under a
    name that holds the unit's.
    """

    def __init__(self, unit: Unit, program: WholeProgram) -> None:
        self.unit = unit
        self.program = program

    @cached_property
    def constants(self) -> dict[str, list[Node]]:
        """Every definition, by name, in the order of the text."""
        found: dict[str, list[Node]] = {}
        for node in self.unit.declarations:
            if (
                node.kind == K.VAR_DECL
                and node.cursor.storage_class.name in ("STATIC", "NONE")
                and symbol_key(self.unit.name, node.cursor) not in self.program.state
            ):
                found.setdefault(node.spelling, []).append(node)
        return found

    @cached_property
    def renamed(self) -> frozenset[str]:
        """The static constants that get another name."""
        return frozenset(
            name
            for name, nodes in self.constants.items()
            if len(nodes) > 1
            and nodes[0].cursor.storage_class.name == "STATIC"
            and any(initialiser(node) is None for node in nodes)
        )

    def given(self, name: str) -> str:
        """What C++ knows a variable at file scope by."""
        if name in self.renamed:
            return f"{name}__{identifier(self.unit.name)}"
        return cpp_name(name)
