"""Blocks of a generated function: the context of a statement, and names for locals."""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, field

from porter_dev.torture.choices import Choices
from porter_dev.torture.expressions import ExpressionMaker
from porter_dev.torture.initialisers import leaves
from porter_dev.torture.scope import Object, Scope
from porter_dev.torture.types import KEYWORDS, Number, ProgramTypes


@define
class Block:
    """The context of a statement."""

    scope: Scope
    names: set[str] = field(factory=set)  # declared in this block
    outer: tuple[str, ...] = ()  # names of the blocks around it, which a declaration may hide
    handlers: int = 0  # handlers pushed around it in this function
    loop_handlers: int = -1  # handlers pushed at the innermost loop; -1: no loop
    bounded: bool = False  # whether a jump may pass this point: no variable-length array

    def below(self, **changes: int) -> Block:
        """Return a block inside; `changes`: its `handlers` and `loop_handlers` if different."""
        return Block(
            self.scope.copy(),
            set(),
            (*self.outer, *sorted(self.names)),  # a set's order differs between processes
            changes.get("handlers", self.handlers),
            changes.get("loop_handlers", self.loop_handlers),
        )


@define
class BlockMaker:
    """The base class of the statement generators for one function.

    Attributes:
        choices: Source of decisions.
        types: Types of the program.
        sum: Name of the program's checksum.
        handles: Whether the function may have handlers; its locals are then volatile.
        leave: Returns a return statement.
    """

    choices: Choices
    types: ProgramTypes
    sum: str
    handles: bool
    leave: Callable[[ExpressionMaker], str]
    bound: str  # length of variable-length arrays, at least 2; an expression without side effects
    calls: tuple[str, ...] = ()  # functions that a static local may point at
    used: set[str] = field(factory=set)
    counter: int = 0

    def one(self, block: Block, depth: int) -> str:
        """Draw a statement, or several that belong together."""
        raise NotImplementedError

    def expressions(self, block: Block) -> ExpressionMaker:
        """Return the maker of expressions over the block's scope."""
        return ExpressionMaker(self.choices, self.types, block.scope)

    def some(self, block: Block, depth: int, most: int = 4) -> str:
        """Draw 1 to `most` statements."""
        return "".join(self.one(block, depth) for _ in range(self.choices.between(1, most)))

    def inner(self, block: Block, depth: int, most: int = 3, **changes: int) -> str:
        """Draw a block in braces."""
        return "{\n" + self.some(block.below(**changes), depth - 1, most) + "}\n"

    def name(self, block: Block) -> str:
        """Return a name for a local: a new one, a C++ keyword, or an outer name to hide."""
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
        """Add a local number to the scope. Addresses of volatile locals are never taken."""
        stable = self.handles or constant or self.choices.chance(60)
        block.scope.objects.append(Object(name, kind, tuple(leaves(kind, "1")), constant, stable))


def base_name(thing: Object) -> str:
    """Return the identifier that an object's text starts with."""
    return thing.name.strip("(*)").partition("->")[0]
