"""Upstream's .mpy format, as far as the compiled tier needs it: where each function's code lies.

The format is described in upstream's docs/reference/mpy_files.rst and py/persistentcode.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import field, frozen

from porter.compiler.tables import Tables
from porter.errors import UpstreamChange

_BYTECODE = 0  # kinds of code, as the lowest two bits tell them
STR, BYTES = _TEXTS = (5, 6)  # a NUL follows
_NUMBERS = (7, 8, 9)  # int, float, complex as text
TUPLE = 10
_EMPTY = range(5)  # function table, None, False, True, Ellipsis
_WIDEST = 1 << 63  # no number of the format is larger
_DEEPEST = 100  # tuples in tuples, functions in functions


@frozen
class Instruction:
    """One instruction. at, size: bytes from the function's first instruction.

    argument: what follows the first byte, or the operand in it; extra: one more byte, of those that
    have one. For jumps the argument is where they go.
    """

    at: int
    size: int
    name: str
    argument: int = 0
    extra: int = 0

    @property
    def next(self) -> int:
        """Where the following instruction is."""
        return self.at + self.size


@frozen
class Function:
    """One function's code.

    start: where its first instruction is, from the first byte of what was read. state: slots of a
    frame. lines: source line by instruction position.
    """

    name: int  # among the code's names
    start: int
    state: int
    arguments: int
    generator: bool
    cells: int
    code: tuple[Instruction, ...] = field(repr=False)
    lines: Mapping[int, int] = field(repr=False)


@frozen
class Constant:
    """A constant object. kind: the format's number; text: what .mpy says of it."""

    kind: int
    text: bytes


@frozen
class Module:
    """All functions of one source, the module's own first; names by number, None where only the
    release knows the name."""

    functions: tuple[Function, ...]
    names: tuple[str | None, ...]
    constants: tuple[Constant, ...]


class _Reader:
    def __init__(self, data: bytes, at: int) -> None:
        self.data = data
        self.at = at

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def bytes(self, count: int) -> bytes:
        self.skip(count)
        return self.data[self.at - count : self.at]

    def skip(self, count: int) -> None:
        self.at += count
        if self.at > len(self.data):
            raise IndexError

    def uint(self) -> int:
        value = 0
        while True:
            byte = self.byte()
            value = value << 7 | byte & 0x7F
            if value >= _WIDEST:
                raise UpstreamChange("compiled code has a number that the .mpy format does not")
            if not byte & 0x80:
                return value


def read_module(data: bytes, at: int, tables: Tables) -> Module:
    """The .mpy that begins at `at`. Raises UpstreamChange for what is not such a file."""
    reader = _Reader(data, at)
    try:
        return _module(reader, tables)
    except IndexError:
        raise UpstreamChange("compiled code ends too early for the .mpy format") from None


def _module(reader: _Reader, tables: Tables) -> Module:
    header = reader.bytes(4)
    if header[:1] != b"M":
        raise UpstreamChange("compiled code does not begin as the .mpy format does")
    names, constants = reader.uint(), reader.uint()
    named = tuple(_name(reader, tables.names) for _ in range(names))
    objects = tuple(_constant(reader) for _ in range(constants))
    return Module(tuple(_functions(reader, tables)), named, objects)


def _name(reader: _Reader, known: tuple[str, ...]) -> str | None:
    length = reader.uint()
    if length & 1:
        return known[(length >> 1) - 1] if 0 < length >> 1 <= len(known) else None
    text = reader.bytes(length >> 1)
    reader.byte()
    return text.decode("utf-8", "replace")


def _constant(reader: _Reader, depth: int = 0) -> Constant:
    _check_depth(depth)
    kind = reader.byte()
    if kind in _EMPTY:
        return Constant(kind, b"")
    length = reader.uint()
    if kind == TUPLE:
        for _ in range(length):
            _constant(reader, depth + 1)
        return Constant(kind, b"")
    if kind not in (*_TEXTS, *_NUMBERS):
        raise UpstreamChange(f"the .mpy format has objects of kind {kind} now")
    text = reader.bytes(length)
    if kind in _TEXTS:
        reader.byte()
    return Constant(kind, text)


def _check_depth(depth: int) -> None:
    if depth > _DEEPEST:
        raise UpstreamChange(f"compiled code is nested more than {_DEEPEST} deep")


def _functions(reader: _Reader, tables: Tables, depth: int = 0) -> Iterator[Function]:
    _check_depth(depth)
    head = reader.uint()
    start = reader.at
    reader.skip(head >> 3)
    if head & 3 == _BYTECODE:
        yield _function(_Reader(reader.data[: reader.at], start), tables)
    if head & 4:
        for _ in range(reader.uint()):
            yield from _functions(reader, tables, depth + 1)


def _function(reader: _Reader, tables: Tables) -> Function:
    state, arguments, flags = _signature(reader)
    info, cells = _sizes(reader)
    after = reader.at + info
    name = reader.uint()
    for _ in range(arguments):
        reader.uint()
    deltas = reader.data[reader.at : after]
    start = after + cells
    code = tuple(_instructions(_Reader(reader.data, start), start, tables))
    if not code:
        raise UpstreamChange("a function of the compiled code has no instruction")
    return Function(
        name, start, state, arguments, bool(flags & 1), cells, code, _lines(deltas, code)
    )


def _signature(reader: _Reader) -> tuple[int, int, int]:
    byte = reader.byte()
    state, positional = byte >> 3 & 15, byte & 3
    flags = keyword = 0
    n = 0
    while byte & 0x80:
        byte = reader.byte()
        state |= (byte & 0x30) << 2 * n
        flags |= (byte >> 6 & 1) << n
        positional |= (byte & 4) << n
        keyword |= (byte >> 3 & 1) << n
        n += 1
    return state + 1, positional + keyword, flags


def _sizes(reader: _Reader) -> tuple[int, int]:
    info = cells = n = 0
    while True:
        byte = reader.byte()
        info |= (byte >> 1 & 0x3F) << 6 * n
        cells |= (byte & 1) << n
        n += 1
        if not byte & 0x80:
            return info, cells


def _lines(deltas: bytes, code: tuple[Instruction, ...]) -> dict[int, int]:
    spans = []  # (bytes of code, lines)
    at = 0
    while at < len(deltas):
        byte = deltas[at]
        if byte & 0x80:
            spans.append((byte & 15, byte << 4 & 0x700 | deltas[at + 1]))
            at += 2
        else:
            spans.append((byte & 31, byte >> 5))
            at += 1
    lines: dict[int, int] = {}
    line, until, left = 1, 0, iter(spans)
    pending: tuple[int, int] | None = next(left, None)
    for instruction in code:
        while pending is not None and instruction.at >= until + pending[0]:
            until += pending[0]
            line += pending[1]
            pending = next(left, None)
        lines[instruction.at] = line
    return lines


def _instructions(reader: _Reader, start: int, tables: Tables) -> Iterator[Instruction]:
    while reader.at < len(reader.data):
        at = reader.at
        number = reader.byte()
        name, argument, extra = *_named(number, tables), 0
        if number in tables.opcodes:
            form = tables.formats[number >> 4]
            if name == "LOAD_CONST_SMALL_INT":
                argument = _signed(reader)
            elif form in ("qstr", "uint"):
                argument = reader.uint()
            elif form == "offset":
                argument = _target(reader, name) - start
            if number & tables.extra_byte == 0:
                extra = reader.byte()
        yield Instruction(at - start, reader.at - at, name, argument, extra)


def _named(number: int, tables: Tables) -> tuple[str, int]:
    for name, (first, count) in tables.families.items():
        if first <= number < first + count:
            argument = number - first
            return name, argument - tables.excess if name == "LOAD_CONST_SMALL_INT" else argument
    if number not in tables.opcodes:
        raise UpstreamChange(f"py/bc0.h has no instruction {number:#x}")
    # One name for an instruction, whether or not its operand is in the first byte.
    return tables.opcodes[number].removesuffix("_N"), 0


_FORWARD = (
    "JUMP_IF_TRUE_OR_POP",
    "JUMP_IF_FALSE_OR_POP",
    "SETUP_WITH",
    "SETUP_EXCEPT",
    "SETUP_FINALLY",
    "POP_EXCEPT_JUMP",
    "FOR_ITER",
)


def _target(reader: _Reader, name: str) -> int:
    value = reader.byte()
    wide = bool(value & 0x80)
    if wide:
        value = value & 0x7F | reader.byte() << 7
    if name not in _FORWARD:
        value -= 0x4000 if wide else 0x40
    return reader.at + value


def _signed(reader: _Reader) -> int:
    value = -1 if reader.data[reader.at] & 0x40 else 0
    while True:
        byte = reader.byte()
        value = value << 7 | byte & 0x7F
        if not byte & 0x80:
            return value
