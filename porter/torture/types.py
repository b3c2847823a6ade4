"""The types of a generated program."""

from __future__ import annotations

from attrs import frozen

from porter.rewrite.names import CPP_KEYWORDS
from porter.torture.choices import Choices

# asm is a keyword of GNU C too, and wchar_t a type of stddef.h.
KEYWORDS = sorted(CPP_KEYWORDS - {"asm", "wchar_t"})


@frozen
class Number:
    """An arithmetic type; `low` and `high` are the constants that it is given.

    `enumerators` are the names of an enum's values, `bits` is for a bit-field's member.
    """

    name: str
    low: int
    high: int
    floating: bool = False
    enumerators: tuple[str, ...] = ()


@frozen
class Text:
    """`const char *`, which always points at a string."""

    name: str = "const char *"


@frozen
class Function:
    """A pointer to a function that takes and gives an int; `name` is its typedef."""

    name: str = "call_t"


@frozen
class Array:
    """An array; of characters it may be given a string."""

    of: Type
    count: int


@frozen
class Member:
    """A member; one without a name is a nameless struct or union. `bits` of 0: no bit-field."""

    name: str
    type: Type
    bits: int = 0


@frozen
class Record:
    """A struct or union. `name` is how C names it, empty for one without a name.

    `fixed` says that every byte of it that is read was set, whichever members were given values:
    it holds no union whose members differ in size.
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
# For unions whose every member may be read whatever was written: all of four bytes.
FOUR_BYTES: tuple[Type, ...] = (INT, Number("uint32_t", 0, 4000000000), Array(NUMBERS[5], 4))


@frozen
class ProgramTypes:
    """The types of one program: what it may use, and the text that defines them."""

    prefix: str
    numbers: tuple[Number, ...]
    records: tuple[Record, ...]
    text: str


def pick_type(choices: Choices, *kinds: Type) -> Type:
    """One of `kinds`."""
    return choices.pick(kinds)


def flat_members(record: Record) -> list[Member]:
    """The members by which C reaches into a record: its own, and those of nameless ones."""
    found: list[Member] = []
    for member in record.members:
        if member.name:
            found.append(member)
        elif isinstance(member.type, Record):
            found += flat_members(member.type)
    return found


def is_fixed(kind: Type) -> bool:
    """Whether all of a value may be read, whatever was set (see Record)."""
    if isinstance(kind, Array):
        return is_fixed(kind.of)
    return kind.fixed if isinstance(kind, Record) else True


def declare(kind: Type, name: str) -> str:
    """The declaration of `name`, without qualifiers and the semicolon."""
    bounds = ""
    while isinstance(kind, Array):
        bounds += f"[{kind.count}]"
        kind = kind.of
    space = "" if kind.name.endswith("*") else " "
    return f"{kind.name}{space}{name}{bounds}"
