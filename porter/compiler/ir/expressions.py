"""Expressions of the IR: side-effect free values, conditions, and calls of C functions.

Expressions are immutable and compared by structure. An operand is a variable, a constant or a small
expression over these; larger computations are assigned to temporaries (operations.py).
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import fields, frozen


@frozen
class Expression:
    """The base class of all expressions."""


@frozen
class Variable(Expression):
    """A C++ variable that holds a slot between blocks, or a part of a view or a global's address.

    Attributes:
        name: Its name, such as "s1i" for an int in slot 1 of the stack (representations.py).
    """

    name: str


@frozen
class Temporary(Expression):
    """A C++ variable that one block assigns.

    Attributes:
        number: Number, unique in the function. A printer may renumber temporaries.
        prefix: "t" for a value, "b" for a truth value, "w" for an array of objects.
    """

    number: int
    prefix: str = "t"


@frozen
class Item(Expression):
    """An element of a temporary array."""

    array: Temporary
    index: int


@frozen
class FrameSlot(Expression):
    """A slot of the interpreter's frame, in memory."""

    index: int


@frozen
class GlobalCell(Expression):
    """The value of a global in its dict, at the address in the variable "p" of that number."""

    slot: int


@frozen
class FramePointer(Expression):
    """The address of a frame slot, as the start of an array of objects."""

    index: int


@frozen
class Integer(Expression):
    """A 64-bit integer constant."""

    value: int


@frozen
class Real(Expression):
    """A finite floating-point constant."""

    value: float


@frozen
class Literal(Expression):
    """A plain C integer, such as an index or a count."""

    value: int


@frozen
class Symbol(Expression):
    """A name that the C++ around the program defines, such as "mp_const_none" or "cs"."""

    name: str


@frozen
class AddressOf(Expression):
    """The address of a variable or a frame slot, for a function that assigns to it."""

    operand: Expression


@frozen
class Cast(Expression):
    """A conversion to a C type."""

    type: str
    operand: Expression


@frozen
class Unary(Expression):
    """A unary operator of C: "-" or "~"."""

    op: str
    operand: Expression


@frozen
class Arithmetic(Expression):
    """A binary arithmetic or bitwise operator of C on unboxed numbers."""

    op: str
    lhs: Expression
    rhs: Expression


@frozen
class Compare(Expression):
    """A comparison.

    Attributes:
        op: Operator, a key of `COMPARISONS`.
        lhs: Left operand.
        rhs: Right operand.
        integers: Whether both operands are integers of Python, so that the comparison may be the
            test of a counting loop.
    """

    op: str
    lhs: Expression
    rhs: Expression
    integers: bool = False


@frozen
class Not(Expression):
    """The negation of a condition."""

    operand: Expression


@frozen
class Conditional(Expression):
    """A choice between two values by a condition."""

    condition: Expression
    yes: Expression
    no: Expression


@frozen
class Box(Expression):
    """The object of an unboxed number. kind: the number's representation."""

    kind: str
    operand: Expression


@frozen
class Unbox(Expression):
    """The number in an object of known type. kind: the number's representation."""

    kind: str
    operand: Expression


@frozen
class HasType(Expression):
    """The test of whether an object holds a number of representation `kind`."""

    kind: str
    operand: Expression


@frozen
class HelperCall(Expression):
    """A call of a C function, by name."""

    function: str
    arguments: tuple[Expression, ...] = ()


@frozen
class ViewAccess(Expression):
    """A load or store of an element through a view; the value is whether that was possible.

    A view is the address, length and typecode of an array's elements in C++ variables.

    Attributes:
        view: Number of the view.
        kind: Representation of the element.
        index: Index of the element.
        element: Address of the variable that a load assigns; the value that a store writes.
        stores: Whether the element is stored.
        typecode: Typecode that the array is known to have; "" if the variable of the view has it.
    """

    view: int
    kind: str
    index: Expression
    element: Expression
    stores: bool = False
    typecode: str = ""


COMPARISONS = {
    "LESS": "<",
    "MORE": ">",
    "EQUAL": "==",
    "LESS_EQUAL": "<=",
    "MORE_EQUAL": ">=",
    "NOT_EQUAL": "!=",
}

NULL_OBJECT = Symbol("MP_OBJ_NULL")
SENTINEL = Symbol("MP_OBJ_SENTINEL")
NONE = Symbol("mp_const_none")
NULL = Symbol("NULL")
TRUE, FALSE = Symbol("true"), Symbol("false")
FRAME_STATE = Symbol("cs")  # the interpreter's frame, upstream's mp_code_state_t
ZERO = Literal(0)
NOTHING = Symbol("")  # a slot in the frame's memory has no expression


def parts(expression: Expression) -> Iterator[Expression]:
    """Yield an expression and all expressions inside it."""
    yield expression
    for each in fields(type(expression)):
        value = getattr(expression, each.name)
        if isinstance(value, Expression):
            yield from parts(value)
        elif isinstance(value, tuple):
            for one in value:
                yield from parts(one)


def call(function: str, *arguments: Expression) -> HelperCall:
    """Return a call of a C function."""
    return HelperCall(function, arguments)


def name_of(number: int) -> HelperCall:
    """Return the qstr of a name by its number in the bytecode."""
    return call("tier_name", FRAME_STATE, Literal(number))
