"""Blocks of a generated function: what stands around a statement, and names for its locals."""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, field

from porter.torture.choices import Choices
from porter.torture.expressions import ExpressionMaker
from porter.torture.initialisers import leaves
from porter.torture.scope import Object, Scope
from porter.torture.types import KEYWORDS, Number, ProgramTypes


@define
class Block:
    """Where a statement stands."""

    scope: Scope
    names: set[str] = field(factory=set)  # declared in this very block
    outer: tuple[str, ...] = ()  # names of the blocks around it, which it may hide
    handlers: int = 0  # pushed around it, in this function
    loop_handlers: int = -1  # as many were pushed at the innermost loop; -1: no loop
    bounded: bool = False  # a jump leads past this point: no array of variable length

    def below(self, **changes: int) -> Block:
        """A block inside; `changes`: its `handlers` and `loop_handlers`, where they differ."""
        return Block(
            self.scope.copy(),
            set(),
            (*self.outer, *sorted(self.names)),  # a set's order is another in every process
            changes.get("handlers", self.handlers),
            changes.get("loop_handlers", self.loop_handlers),
        )


@define
class BlockMaker:
    """Draws the statements of one function.

    `sum` names the program's checksum; `handles` says that the function may have handlers, so
    that its locals are volatile; `leave` gives a return statement.
    """

    choices: Choices
    types: ProgramTypes
    sum: str
    handles: bool
    leave: Callable[[ExpressionMaker], str]
    bound: str  # the length of arrays of variable length, at least 2 and nothing that changes
    calls: tuple[str, ...] = ()  # functions that a static local may point at
    used: set[str] = field(factory=set)
    counter: int = 0

    def one(self, block: Block, depth: int) -> str:
        """One statement, or a few that belong together."""
        raise NotImplementedError

    def expressions(self, block: Block) -> ExpressionMaker:
        """Expressions over what the block sees."""
        return ExpressionMaker(self.choices, self.types, block.scope)

    def some(self, block: Block, depth: int, most: int = 4) -> str:
        """A few statements."""
        return "".join(self.one(block, depth) for _ in range(self.choices.between(1, most)))

    def inner(self, block: Block, depth: int, most: int = 3, **changes: int) -> str:
        """A block in braces."""
        return "{\n" + self.some(block.below(**changes), depth - 1, most) + "}\n"

    def name(self, block: Block) -> str:
        """A name for a local: a new one, a keyword of C++, or one that hides another."""
        c = self.choices
        if c.chance(8):
            name = c.pick(KEYWORDS)
            if name not in self.used:
                return self._taken(block, name)
        hidden = [name for name in block.outer if name not in block.names and name != "a"]
        if hidden and c.chance(8):
            return self._taken(block, c.pick(hidden))
        self.counter += 1
        return self._taken(block, f"v{self.counter}")

    def _taken(self, block: Block, name: str) -> str:
        self.used.add(name)
        block.names.add(name)
        block.scope.objects = [o for o in block.scope.objects if base_name(o) != name]
        return name

    def _label(self) -> str:
        self.counter += 1
        return f"l{self.counter}"

    def _volatile(self) -> str:
        return "volatile " if self.handles else ""

    def add(self, block: Block, name: str, kind: Number, constant: bool = False) -> None:
        """Lets the block use a local number. Nothing takes a volatile one's address."""
        stable = self.handles or constant or self.choices.chance(60)
        block.scope.objects.append(Object(name, kind, tuple(leaves(kind, "1")), constant, stable))


def base_name(thing: Object) -> str:
    """The name that an object's text begins with."""
    return thing.name.strip("(*)").partition("->")[0]
