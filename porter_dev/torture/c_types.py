"""The types of a generated program, with definitions of enums, structs, unions and bit-fields."""

from __future__ import annotations

from attrs import evolve, field, frozen

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


# Relative frequencies of the kinds of members.
_SHAPES = (
    *((40, "number"), (10, "bits"), (15, "array"), (15, "record"), (8, "text")),
    *((6, "function"), (8, "nested"), (6, "nameless"), (4, "enum")),
)


@frozen
class TypeMaker:
    """A generator of type definitions; `numbers` and `records` are the types defined so far."""

    choices: Choices
    prefix: str
    keywords: list[str]
    numbers: list[Number] = field(factory=lambda: list(NUMBERS))
    records: list[Record] = field(factory=list)
    counter: list[int] = field(factory=list)

    def fresh(self, letter: str) -> str:
        return self.prefix + self.fresh_member(letter)

    def fresh_member(self, letter: str = "m") -> str:
        self.counter.append(0)
        return f"{letter}{len(self.counter)}"

    def tag(self, letter: str) -> str:
        """Return a new tag, sometimes a C++ keyword."""
        if self.keywords and self.choices.chance(15):
            return self.keywords.pop()
        return self.fresh(letter)

    def enum(self) -> tuple[Number, str]:
        """Draw an enum; return it and its definition without the semicolon."""
        c = self.choices
        tag = f"enum {self.tag('e')}"
        names = [self.fresh("K") for _ in range(c.between(2, 4))]
        values = ["", " = 5", f" = {c.between(0, 90)}", " = -3", " = 'c'", f" = 1 << {c.below(20)}"]
        items = [name + (c.pick(values) if c.chance(40) else "") for name in names]
        low = -3 if any("-3" in item for item in items) else 0
        number = Number(tag, low, 3, enumerators=tuple(names))
        self.numbers.append(number)
        return number, f"{tag} {{ {', '.join(items)} }}"

    def record(self, depth: int, tag: str | None = None) -> tuple[Record, str]:
        """Draw a struct or union; return it and its definition without the semicolon."""
        c = self.choices
        union = c.chance(20)
        loose = union and c.chance(40)
        head = "union" if union else "struct"
        if tag is None:
            tag = self.tag("u" if union else "s")
        name = f"{head} {tag}".strip()
        used: set[str] = set()
        members: list[Member] = []
        text = ""
        for _ in range(c.between(1, 5)):
            member, line = self.member(depth, union and not loose, used, not tag)
            members.append(member)
            text += f"    {line};\n"
        if union and all(member.name == "" for member in members):
            members.append(Member(self.fresh_member(), INT))
            text += f"    int {members[-1].name};\n"
        fixed = not loose and all(is_fixed(member.type) for member in members)
        record = Record(name if tag else "", tuple(members), union, fixed)
        return record, f"{name} {{\n{text}}}"

    def member(
        self, depth: int, four_bytes: bool, used: set[str], untagged: bool
    ) -> tuple[Member, str]:
        """Draw a member; return it and its declaration.

        Args:
            depth: Remaining depth of nested records.
            four_bytes: Whether the member must have four bytes.
            used: Names that are taken; gains the new name.
            untagged: Whether the record has no tag. Its members then define no tags, because C++
                would hide them.
        """
        c = self.choices
        name = c.pick(KEYWORDS) if c.chance(8) else self.fresh_member()
        name = self.fresh_member() if name in used else name
        used.add(name)
        if four_bytes:
            four = c.pick(FOUR_BYTES)
            return Member(name, four), declare(four, name)
        shape = c.weighted(_SHAPES)
        if shape == "bits":
            return self.bit_field(name)
        if shape == "record" and self.records:
            record = c.pick(self.records)
            return Member(name, record), declare(record, name)
        if shape in ("nested", "nameless") and depth > 0:
            return self.nested(name, shape == "nested", depth, used, untagged)
        if shape == "enum" and not untagged:
            number, text = self.enum()
            return Member(name, number), f"{text} {name}"
        kind = self.plain(shape)
        return Member(name, kind), declare(kind, name)

    def bit_field(self, name: str) -> tuple[Member, str]:
        """Draw a bit-field, sometimes after an unnamed one."""
        c = self.choices
        number = c.pick([INT, NUMBERS[2], NUMBERS[8], *self.numbers[len(NUMBERS) :]])
        bits = 1 if number.name == "_Bool" else c.between(5 if number.enumerators else 3, 31)
        gap = f"int : {c.between(1, 9)};\n    " if c.chance(20) else ""
        narrow = Number(number.name, max(number.low, -4), 3, enumerators=number.enumerators)
        if number.name == "_Bool":
            narrow = number
        if number.name == "unsigned":
            narrow = Number("unsigned", 0, 7)
        return Member(name, narrow, bits), f"{gap}{number.name} {name} : {bits}"

    def nested(
        self, name: str, named: bool, depth: int, used: set[str], untagged: bool
    ) -> tuple[Member, str]:
        """Draw a struct or union inside a record; an anonymous one exposes its members."""
        tagged = named and not untagged and self.choices.chance(60)
        record, text = self.record(depth - 1, None if tagged else "")
        text = text.replace("\n", "\n    ")
        if record.name:
            self.records.append(record)
        if not named:
            named = any(m.name in used for m in flat_members(record))
            used.update(m.name for m in flat_members(record))
        return Member(name if named else "", record), f"{text} {name}" if named else text

    def plain(self, shape: str) -> Type:
        """Draw the type of a member that defines none; a number unless `shape` says otherwise."""
        c = self.choices
        kind: Type = c.pick(self.numbers)
        if shape == "array":
            kind = Array(pick_type(c, NUMBERS[1], *self.numbers, *self.records), c.between(1, 4))
            return Array(kind, c.between(1, 3)) if c.chance(15) else kind
        if shape == "text":
            return Text()
        return Function(f"{self.prefix}call_t") if shape == "function" else kind


def define_types(choices: Choices, prefix: str, keywords: list[str]) -> ProgramTypes:
    """Draw enums and records; `keywords` are the C++ keywords that their tags may use."""
    definer = TypeMaker(choices, prefix, keywords)
    text = f"typedef int (*{prefix}call_t)(int);\n"
    for _ in range(choices.between(1, 2)):
        text += definer.enum()[1] + ";\n"
    for _ in range(choices.between(1, 4)):
        alias = choices.chance(25)
        record, body = definer.record(2, "" if alias else None)
        if alias:
            record = evolve(record, name=definer.fresh("t"))
            body = f"typedef {body} {record.name}"
        definer.records.append(record)
        text += body + ";\n"
    return ProgramTypes(prefix, tuple(definer.numbers), tuple(definer.records), text)
