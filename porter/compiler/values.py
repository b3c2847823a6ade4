"""What is known of a value while bytecode is walked: its kind, and the C++ that holds it."""

from __future__ import annotations

from attrs import evolve, field, frozen

OBJECT, INT, FLOAT, BOOL = "object", "int", "float", "bool"
MEMORY = "memory"  # a slot of an iterator, which only the frame holds
TYPES = {OBJECT: "mp_obj_t", INT: "int64_t", FLOAT: "double", BOOL: "bool"}


@frozen
class Value:
    """kind: one of the above. text: an expression without effects. clean: the frame holds it.
    bound: it is not what a variable is before its first value."""

    kind: str
    text: str
    clean: bool = False
    bound: bool = True

    def boxed(self) -> str:
        """The same as an object's word."""
        if self.kind == INT:
            return f"tier_from_int({self.text})"
        if self.kind == FLOAT:
            return f"tier_from_float({self.text})"
        if self.kind == BOOL:
            return f"tier_from_bool({self.text})"
        return self.text

    def kept(self) -> Value:
        """Once the frame holds it."""
        return evolve(self, clean=True)


@frozen
class Known:
    """Of one slot: a Value without its text."""

    kind: str
    clean: bool = True
    bound: bool = False


@frozen
class Shape:
    """What is known where a block begins, of each slot."""

    stack: tuple[Known, ...]
    locals: tuple[Known, ...]


@frozen
class State:
    """Slots of the stack and variables while a block is walked."""

    stack: list[Value] = field(factory=list)
    locals: list[Value] = field(factory=list)

    def shape(self) -> Shape:
        """Their kinds."""
        return Shape(
            tuple(Known(v.kind, v.clean, v.bound) for v in self.stack),
            tuple(Known(v.kind, v.clean, v.bound) for v in self.locals),
        )
