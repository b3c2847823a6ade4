"""The types of a generated program."""

from __future__ import annotations

from attrs import frozen

from porter.rewrite.spelling import CPP_KEYWORDS
from porter_dev.torture.choices import Choices

# asm is a keyword of GNU C as well, and stddef.h defines wchar_t as a type.
KEYWORDS = sorted(CPP_KEYWORDS - {"asm", "wchar_t"})


@frozen
class Number:
    """An arithmetic type.

    Attributes:
        name: Name in C.
        low: Smallest constant of this type to generate.
        high: Largest constant of this type to generate.
        floating: Whether it is a floating type.
        enumerators: Names of an enum's values.
    """

    name: str
    low: int
    high: int
    floating: bool = False
    enumerators: tuple[str, ...] = ()


@frozen
class Text:
    """`const char *`; it always points to a string."""

    name: str = "const char *"


@frozen
class Function:
    """A pointer to a function that takes and returns an int; `name` is its typedef."""

    name: str = "call_t"


@frozen
class Array:
    """An array; an initialiser of a character array may be a string."""

    of: Type
    count: int


@frozen
class Member:
    """A member. Without a name, it is an anonymous struct or union. bits: 0 for no bit-field."""

    name: str
    type: Type
    bits: int = 0


@frozen
class Record:
    """A struct or union.

    Attributes:
        name: Name in C; "" for a type without a tag.
        members: Members in order.
        union: Whether it is a union.
        fixed: Whether all bytes that can be read are defined, whichever members were initialised.
            Not so if it contains a union whose members differ in size.
    """

    name: str
    members: tuple[Member, ...]
    union: bool = False
    fixed: bool = True


Type = Number | Text | Function | Array | Record

INT = Number("int", -100, 100)
LONG = Number("long", -100000, 100000)
DOUBLE = Number("double", -100, 100, floating=True)
NUMBERS = (
    INT,
    Number("char", 0, 100),
    Number("unsigned", 0, 4000000000),
    LONG,
    Number("signed char", -100, 100),
    Number("unsigned char", 0, 250),
    Number("short", -30000, 30000),
    Number("uint16_t", 0, 60000),
    Number("_Bool", 0, 1),
    Number("unsigned long", 0, 1 << 40),
    Number("long long", -100000, 100000),
    Number("size_t", 0, 1000),
    Number("int64_t", -(1 << 40), 1 << 40),
    DOUBLE,
    Number("float", -100, 100, floating=True),
)
# Members of unions in which any member may be read after any write: all have four bytes.
FOUR_BYTES: tuple[Type, ...] = (INT, Number("uint32_t", 0, 4000000000), Array(NUMBERS[5], 4))


@frozen
class ProgramTypes:
    """The types of one program, and the text that defines them."""

    prefix: str
    numbers: tuple[Number, ...]
    records: tuple[Record, ...]
    text: str


def pick_type(choices: Choices, *kinds: Type) -> Type:
    """Pick one of `kinds`."""
    return choices.pick(kinds)


def flat_members(record: Record) -> list[Member]:
    """Return the members that C accesses by name: direct ones, and those of anonymous members."""
    found: list[Member] = []
    for member in record.members:
        if member.name:
            found.append(member)
        elif isinstance(member.type, Record):
            found += flat_members(member.type)
    return found


def is_fixed(kind: Type) -> bool:
    """Return whether all of a value may be read, whatever was initialised (see Record)."""
    if isinstance(kind, Array):
        return is_fixed(kind.of)
    return kind.fixed if isinstance(kind, Record) else True


def declare(kind: Type, name: str) -> str:
    """Return the declaration of `name`, without qualifiers and the semicolon."""
    bounds = ""
    while isinstance(kind, Array):
        bounds += f"[{kind.count}]"
        kind = kind.of
    space = "" if kind.name.endswith("*") else " "
    return f"{kind.name}{space}{name}{bounds}"
