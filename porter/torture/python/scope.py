"""What a place in a generated Python program can name, and how large its numbers get there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import define, evolve, field, frozen

from porter.torture.choices import Choices

# Kinds of variables. An `any` may be a number, a text or None, and change.
INT, FLOAT, TEXT, LIST = "int", "float", "text", "list"
DICT, BYTES, ARRAY, ANY = "dict", "bytes", "array", "any"
# An object of a class, by the class's name.
Kind = str


@frozen
class Numbers:
    """Which constants a program has, and beyond what (in both directions) a variable starts anew.

    CPython and the interpreter compare large integers with floats differently, so a program has
    either.
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
    """A function of a program. parameters: the last `defaults` of them may be left out."""

    name: str
    parameters: tuple[str, ...] = ()
    defaults: int = 0
    star: bool = False


@frozen
class Class:
    """A class of a program, and what its objects can do beside having `attributes`."""

    name: str
    attributes: tuple[str, ...]
    methods: tuple[str, ...]
    operators: tuple[str, ...]


@define
class PythonScope:
    """The names of one place. `inner` ones are the function's own, which it may delete.

    loops: around this place. fixed: names that statements leave alone.
    """

    variables: dict[str, Kind] = field(factory=dict)
    functions: list[Callable] = field(factory=list)
    generators: list[Callable] = field(factory=list)
    classes: list[Class] = field(factory=list)
    fixed: set[str] = field(factory=set)
    loops: int = 0
    function: bool = False
    generator: bool = False
    finally_: bool = False  # in a finally block, where some jumps mean another thing

    def inside(self, **changes: Any) -> PythonScope:
        """The scope of a block: its variables are those of the place around it."""
        return evolve(self, **changes)

    def of(self, *kinds: Kind) -> list[str]:
        """The variables of these kinds."""
        return [name for name, kind in self.variables.items() if kind in kinds]

    def writable(self, *kinds: Kind) -> list[str]:
        """Those that a statement may assign to."""
        return [name for name in self.of(*kinds) if name not in self.fixed]

    def objects(self) -> list[tuple[str, Class]]:
        """The variables that hold an object of a class."""
        known = {one.name: one for one in self.classes}
        return [(name, known[kind]) for name, kind in self.variables.items() if kind in known]


@define
class NewNames:
    """New names of a program."""

    choices: Choices
    numbers: Numbers
    used: int = 0

    def new(self, letter: str) -> str:
        """One that is nowhere else."""
        self.used += 1
        return f"{letter}{self.used}"
