"""Draw declarations: locals of all types, static ones, variable-length arrays, local structs.

A block is the context of a statement, and names its locals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attrs import define, field

from porter_dev.torture.c_types import (
    INT,
    KEYWORDS,
    NUMBERS,
    Array,
    Function,
    Number,
    ProgramTypes,
    Record,
    Text,
    Type,
    declare,
    pick_type,
)
from porter_dev.torture.choices import Choices
from porter_dev.torture.expressions import ExpressionMaker, Mode
from porter_dev.torture.initialisers import InitialiserMaker, Scalar, leaves
from porter_dev.torture.scope import Object, Scope


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


_LOUD, _QUIET, _STABLE = Mode.LOUD, Mode.QUIET, Mode.STABLE


@define
class DeclarationMaker(BlockMaker):
    """A generator of declarations; it adds the declared objects to the block's scope."""

    def _declare(self, block: Block, depth: int) -> str:
        c = self.choices
        name = self.name(block)
        e = self.expressions(block)
        shape = c.weighted([(50, "number"), (25, "record"), (15, "array"), (6, "text"), (4, "two")])
        if shape == "two":
            other = self.name(block)
            e = self.expressions(block)
            first, second = e.number(2, _LOUD), e.number(1, _STABLE)
            text = f"{self._volatile()}int {name} = {first}, {other} = {second};\n"
            self.add(block, name, INT)
            self.add(block, other, INT)
            return text
        kind: Type = c.pick(self.types.numbers)
        if shape == "record":
            kind = c.pick(self.types.records)
        elif shape == "array":
            kind = Array(pick_type(c, *self.types.numbers, *self.types.records), c.between(1, 4))
        elif shape == "text":
            kind = Text()
        if isinstance(kind, Number):
            const = c.chance(15)
            text = f"{declare(kind, name)} = {e.scalar(kind, 3, _LOUD)};\n"
            self.add(block, name, kind, constant=const)
            return ("const " if const else self._volatile()) + text
        const = self.handles or c.chance(20)
        lists = InitialiserMaker(c, lambda scalar: e.scalar(scalar, 1, _QUIET))
        plan = lists.plan(kind)
        text = f"{declare(kind, name)} = {lists.render(kind, plan)};\n"
        found = tuple(leaves(kind, plan))
        block.scope.objects.append(Object(name, kind, found, const, const or c.chance(50)))
        return ("const " if const and c.chance(50) and not isinstance(kind, Text) else "") + text

    def _static(self, block: Block, depth: int) -> str:
        c = self.choices
        name = self.name(block)
        kind = pick_type(c, *self.types.numbers, *self.types.records, Array(NUMBERS[1], 4))
        lists = InitialiserMaker(
            c, lambda scalar: constant(c, self.types, scalar, self.calls), ranges=True
        )
        plan = lists.plan(kind)
        const = c.chance(40)
        value = f" = {lists.render(kind, plan)}" if const or c.chance(70) else ""
        found = tuple(leaves(kind, plan if value else None))
        block.scope.objects.append(Object(name, kind, found, const))
        return f"static {'const ' if const else ''}{declare(kind, name)}{value};\n"

    def _local_type(self, block: Block, depth: int) -> str:
        """Draw a struct type local to the block, with a member that may be a C++ keyword."""
        name, tag = self.name(block), self._label()
        member = self.choices.pick(["a", *KEYWORDS])
        e = self.expressions(block)
        first, second = e.number(2, _QUIET), e.number(1, _QUIET)
        found = (*leaves(INT, "1", f".{member}"), *leaves(NUMBERS[6], "1", ".b"))
        block.scope.objects.append(Object(name, Record("", ()), found, True, True))
        return (
            f"struct {tag} {{ int {member}; short b; }} {name} = "
            f"{{.b = {first}, .{member} = {second}}};\n"
        )

    def _variable_length(self, block: Block, depth: int) -> str:
        name, e = self.name(block), self.expressions(block)
        kind = self.choices.pick(["int", "unsigned char", "long"])
        text = f"{kind} {name}[{self.bound}];\n"
        values = [e.number(1, _QUIET) for _ in range(2)]
        text += "".join(f"{name}[{i}] = {value};\n" for i, value in enumerate(values))
        number = next(n for n in NUMBERS if n.name == kind)
        found = tuple(leaf for i in range(2) for leaf in leaves(number, "1", f"[{i}]"))
        # The C++ is a pointer, whose own address differs from that of the array.
        block.scope.objects.append(Object(name, Record("", ()), found, self.handles))
        return text


def constant(c: Choices, types: ProgramTypes, kind: Scalar, calls: Sequence[str]) -> str:
    """Draw a constant expression for a scalar of static storage; C may have to convert it."""
    if isinstance(kind, Text):
        return c.pick(['"text"', '"x" "y"', r'"\xff\0z"', '(const char *)"c"', '(void *)"v"'])
    if isinstance(kind, Function):
        return c.pick(["0", "NULL", "(void *)0", *calls, *(f"&{name}" for name in calls)])
    assert isinstance(kind, Number)
    if kind.floating:
        return c.pick(["1.5", "-0.25f", "3", "1e3", "0x1p-3", "1.0 / 3"])
    if kind.enumerators and c.chance(70):
        return c.pick(kind.enumerators)
    literal = str(c.between(0, kind.high)) if c.chance(50) else str(c.between(kind.low, kind.high))
    enums = [n.enumerators[0] for n in types.numbers if n.enumerators]
    odd = ["-1", "300", "'x'", "1 << 3", "sizeof(int)", "!0", "2.5", "~0u", "70000", *enums]
    return literal if c.chance(60) else c.pick(odd)
