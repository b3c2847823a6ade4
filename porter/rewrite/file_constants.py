"""Find the file-scope constants of a unit, and their names in C++."""

from __future__ import annotations

from functools import cached_property

from porter.rewrite.program import WholeProgram
from porter.rewrite.queries import initialiser, symbol_key
from porter.rewrite.spelling import cpp_name, identifier
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, Unit


class Statics:
    """The file-scope constants of a unit, including tentative definitions.

    C++ has no tentative definitions. A static constant that has one becomes an extern whose name
    contains the unit's name.
    """

    def __init__(self, unit: Unit, program: WholeProgram) -> None:
        self.unit = unit
        self.program = program

    @cached_property
    def constants(self) -> dict[str, list[Node]]:
        """All definitions by name, in source order."""
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
        """The names of static constants that are renamed."""
        return frozenset(
            name
            for name, nodes in self.constants.items()
            if len(nodes) > 1
            and nodes[0].cursor.storage_class.name == "STATIC"
            and any(initialiser(node) is None for node in nodes)
        )

    def given(self, name: str) -> str:
        """Return the C++ name of a file-scope variable."""
        if name in self.renamed:
            return f"{name}__{identifier(self.unit.name)}"
        return cpp_name(name)
