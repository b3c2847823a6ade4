"""The names visible at a place of a generated program: objects and callable routines."""

from __future__ import annotations

from attrs import define, field, frozen

from porter_dev.torture.c_types import Array, Function, Number, Record, Text, Type
from porter_dev.torture.initialisers import Leaf


@frozen
class Object:
    """A variable or the target of a pointer.

    Attributes:
        name: C text that denotes the object.
        type: Type of the object.
        leaves: Scalars of the object that may be read.
        constant: Whether the object must not be assigned to.
        stable: Whether no call changes the object.
    """

    name: str
    type: Type
    leaves: tuple[Leaf, ...]
    constant: bool = False
    stable: bool = False


@frozen
class Routine:
    """A function. A parameter of type `Pointer` takes the address of an object."""

    name: str
    result: Type | None
    parameters: tuple[Type | Pointer, ...]
    variadic: bool = False


@frozen
class Pointer:
    """A pointer to an object of a type; void: declared as `void *`, which hides the type."""

    to: Type
    constant: bool = False
    void: bool = False


@define
class Scope:
    """The names of one block; inner blocks copy it."""

    objects: list[Object] = field(factory=list)
    routines: list[Routine] = field(factory=list)

    def copy(self) -> Scope:
        """Return a scope for an inner block."""
        return Scope(list(self.objects), self.routines)

    def readable(self, stable: bool) -> list[tuple[Object, Leaf]]:
        """Return all scalars that may be read; with `stable`, only scalars that no call changes."""
        return [(o, leaf) for o in self.objects if o.stable or not stable for leaf in o.leaves]

    def writable(self) -> list[tuple[Object, Leaf]]:
        """Return all numbers that may be assigned to."""
        return [
            (o, leaf)
            for o, leaf in self.readable(stable=False)
            if not o.constant and isinstance(leaf.type, Number)
        ]


def is_plain(kind: Type) -> bool:
    """Return whether an object is assignable as a whole: fixed layout, without pointers."""
    if isinstance(kind, Array):
        return is_plain(kind.of)
    if isinstance(kind, Record):
        return kind.fixed and all(is_plain(member.type) for member in kind.members)
    return not isinstance(kind, Text | Function)
