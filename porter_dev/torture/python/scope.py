"""The names visible at a place of a generated Python program, and the bounds of its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import define, evolve, field, frozen

from porter_dev.torture.choices import Choices

# Kinds of variables. An `any` variable may hold a number, a text or None, and change its type.
INT, FLOAT, TEXT, LIST = "int", "float", "text", "list"
DICT, BYTES, ARRAY, ANY = "dict", "bytes", "array", "any"
# The kind of an object is the name of its class.
Kind = str


@frozen
class Numbers:
    """The numbers of a program.

    CPython and the interpreter compare large integers with floats differently, so a program has
    either large integers or floats.

    Attributes:
        floats: Whether the program has floats.
        edges: Constants.
        limits: Absolute values beyond which a variable is reset.
    """

    floats: bool
    edges: Sequence[str]
    limits: Sequence[str]


WITH_FLOATS = Numbers(
    True,
    ["3", "10", "255", "65536", "2**31 - 1", "2**46 - 1", "-2**46", "2**46", "2**47", "-2**48"],
    ["1000", "2**30", "2**46", "2**50"],
)
LARGE = Numbers(
    False,
    [
        *("3", "10", "255", "65536", "2**31 - 1", "2**46 - 1", "-2**46", "2**46", "-2**46 - 1"),
        *("2**47", "2**61", "2**62 - 1", "-2**62", "2**62", "2**63 - 1", "-2**63", "2**64 - 1"),
        *("2**64", "10**20"),
    ],
    ["1000", "2**30", "2**46", "2**47", "2**62", "2**63", "2**64", "2**130"],
)


@frozen
class Callable:
    """A function of a program; the last `defaults` of its parameters may be omitted."""

    name: str
    parameters: tuple[str, ...] = ()
    defaults: int = 0
    star: bool = False


@frozen
class Class:
    """A class of a program: the names of its attributes, methods and operators."""

    name: str
    attributes: tuple[str, ...]
    methods: tuple[str, ...]
    operators: tuple[str, ...]


@define
class PythonScope:
    """The names of one place.

    Attributes:
        variables: Kind of each variable.
        functions: Functions that may be called.
        generators: Generator functions that may be called.
        classes: Classes that may be instantiated.
        fixed: Variables that statements must not assign to.
        loops: Number of loops around the place.
        function: Whether the place is inside a function.
        generator: Whether that function is a generator.
        finally_: Whether the place is in a finally block.
    """

    variables: dict[str, Kind] = field(factory=dict)
    functions: list[Callable] = field(factory=list)
    generators: list[Callable] = field(factory=list)
    classes: list[Class] = field(factory=list)
    fixed: set[str] = field(factory=set)
    loops: int = 0
    function: bool = False
    generator: bool = False
    finally_: bool = False  # jumps out of a finally block would discard an exception

    def inside(self, **changes: Any) -> PythonScope:
        """Return the scope of a block inside; it shares this scope's variables."""
        return evolve(self, **changes)

    def of(self, *kinds: Kind) -> list[str]:
        """Return the variables of these kinds."""
        return [name for name, kind in self.variables.items() if kind in kinds]

    def writable(self, *kinds: Kind) -> list[str]:
        """Return the variables of these kinds that a statement may assign to."""
        return [name for name in self.of(*kinds) if name not in self.fixed]

    def objects(self) -> list[tuple[str, Class]]:
        """Return the variables that hold an object of a class, with the class."""
        known = {one.name: one for one in self.classes}
        return [(name, known[kind]) for name, kind in self.variables.items() if kind in known]


@define
class NewNames:
    """A generator of names for a program."""

    choices: Choices
    numbers: Numbers
    used: int = 0

    def new(self, letter: str) -> str:
        """Return a name that the program does not use yet."""
        self.used += 1
        return f"{letter}{self.used}"
