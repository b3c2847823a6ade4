"""What a place in a generated program can name: objects, and routines that it may call."""

from __future__ import annotations

from attrs import define, field, frozen

from porter.torture.initialisers import Leaf
from porter.torture.types import Array, Function, Number, Record, Text, Type


@frozen
class Object:
    """A variable, or what a pointer points at, as C text.

    A `stable` one is changed by no call. `leaves` are what may be read of it.
    """

    name: str
    type: Type
    leaves: tuple[Leaf, ...]
    constant: bool = False
    stable: bool = False


@frozen
class Routine:
    """A function. A parameter that is a `Pointer` takes the address of an object."""

    name: str
    result: Type | None
    parameters: tuple[Type | Pointer, ...]
    variadic: bool = False


@frozen
class Pointer:
    """A pointer to an object of a type; `void` says that its declaration hides the type."""

    to: Type
    constant: bool = False
    void: bool = False


@define
class Scope:
    """The names of one place; a block copies it."""

    objects: list[Object] = field(factory=list)
    routines: list[Routine] = field(factory=list)

    def copy(self) -> Scope:
        """A scope for an inner block."""
        return Scope(list(self.objects), self.routines)

    def readable(self, stable: bool) -> list[tuple[Object, Leaf]]:
        """Everything that may be read; only what no call changes if `stable`."""
        return [(o, leaf) for o in self.objects if o.stable or not stable for leaf in o.leaves]

    def writable(self) -> list[tuple[Object, Leaf]]:
        """Every number that may be assigned to."""
        return [
            (o, leaf)
            for o, leaf in self.readable(stable=False)
            if not o.constant and isinstance(leaf.type, Number)
        ]


def is_plain(kind: Type) -> bool:
    """Whether an object may be assigned as a whole: it holds no pointers, and is fixed."""
    if isinstance(kind, Array):
        return is_plain(kind.of)
    if isinstance(kind, Record):
        return kind.fixed and all(is_plain(member.type) for member in kind.members)
    return not isinstance(kind, Text | Function)
