"""Parse upstream's .mpy format, as far as the translator needs it: functions, names, constants.

Upstream describes the format in docs/reference/mpy_files.rst and py/persistentcode.c. The
instructions of each function are decoded by instructions.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import evolve, field, frozen

from porter.compiler.instructions import BytecodeInstruction, CodeReader, read_instructions
from porter.compiler.tables import Tables
from porter.errors import UpstreamChange

__all__ = [
    "BYTES",
    "FLOAT_CONSTANT",
    "INT_CONSTANT",
    "STR",
    "TUPLE",
    "BytecodeFunction",
    "BytecodeInstruction",
    "BytecodeModule",
    "Constant",
    "read_module",
]

_BYTECODE = 0  # kind of code, in the lowest two bits
STR, BYTES = _TEXTS = (5, 6)  # types of constants; a NUL follows the text of these
INT_CONSTANT, FLOAT_CONSTANT, _ = _NUMBERS = (7, 8, 9)  # int, float, complex as text
TUPLE = 10
_EMPTY = range(5)  # function table, None, False, True, Ellipsis
_DEEPEST = 100  # maximum nesting of tuples and of functions


@frozen
class Signature:
    """The signature of a function.

    Attributes:
        state: Number of slots in a frame.
        handlers: Maximum number of nested exception handlers.
        flags: Flags of its scope, as upstream numbers them.
        positional: Number of positional arguments.
        keyword: Number of keyword-only arguments.
        defaults: Number of positional arguments that have defaults.
        more: Bytes of the encoded signature and of the sizes behind it, without the first byte of
            each. A call takes one step for each of these bytes.
    """

    state: int = 1
    handlers: int = 0
    flags: int = 0
    positional: int = 0
    keyword: int = 0
    defaults: int = 0
    more: int = 0


@frozen
class BytecodeFunction:
    """A function in bytecode.

    Attributes:
        name: Index of its name in the module's names.
        head: Position of its signature, in bytes from the start of the data that was read.
        signature: Its signature.
        start: Position of its first instruction, like `head`.
        cells: Number of its closure cells.
        code: Its instructions.
        lines: Source lines by the position of an instruction in the function.
    """

    name: int
    head: int
    signature: Signature
    start: int
    cells: int
    code: tuple[BytecodeInstruction, ...] = field(repr=False)
    lines: Mapping[int, int] = field(repr=False)

    @property
    def state(self) -> int:
        """Number of slots in a frame."""
        return self.signature.state

    @property
    def arguments(self) -> int:
        """Number of positional and keyword-only arguments."""
        return self.signature.positional + self.signature.keyword

    @property
    def generator(self) -> bool:
        """Whether a call creates a generator."""
        return bool(self.signature.flags & 1)


@frozen
class Constant:
    """A constant object. kind: type, as the format numbers them; text: its bytes in the file."""

    kind: int
    text: bytes


@frozen
class BytecodeModule:
    """The bytecode of one source.

    Attributes:
        functions: All functions; the first one is the code at module level.
        names: Names by number; None for a name that only the release knows.
        constants: Constant objects by number.
    """

    functions: tuple[BytecodeFunction, ...]
    names: tuple[str | None, ...]
    constants: tuple[Constant, ...]


def read_module(data: bytes, at: int, tables: Tables) -> BytecodeModule:
    """Parse the .mpy file that begins at index `at` of `data`.

    Raises:
        UpstreamChange: The data is no .mpy file of a known format.
    """
    reader = CodeReader(data, at)
    try:
        return _module(reader, tables)
    except IndexError:
        raise UpstreamChange("compiled code ends too early for the .mpy format") from None


def _module(reader: CodeReader, tables: Tables) -> BytecodeModule:
    header = reader.bytes(4)
    if header[:1] != b"M":
        raise UpstreamChange("compiled code does not begin as the .mpy format does")
    names, constants = reader.uint(), reader.uint()
    named = tuple(_name(reader, tables.names) for _ in range(names))
    objects = tuple(_constant(reader) for _ in range(constants))
    return BytecodeModule(tuple(_functions(reader, tables)), named, objects)


def _name(reader: CodeReader, known: tuple[str, ...]) -> str | None:
    length = reader.uint()
    if length & 1:
        return known[(length >> 1) - 1] if 0 < length >> 1 <= len(known) else None
    text = reader.bytes(length >> 1)
    reader.byte()
    return text.decode("utf-8", "replace")


def _constant(reader: CodeReader, depth: int = 0) -> Constant:
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


def _functions(reader: CodeReader, tables: Tables, depth: int = 0) -> Iterator[BytecodeFunction]:
    _check_depth(depth)
    head = reader.uint()
    start = reader.at
    reader.skip(head >> 3)
    if head & 3 == _BYTECODE:
        yield _function(CodeReader(reader.data[: reader.at], start), tables)
    if head & 4:
        for _ in range(reader.uint()):
            yield from _functions(reader, tables, depth + 1)


def _function(reader: CodeReader, tables: Tables) -> BytecodeFunction:
    head, signature = reader.at, _signature(reader)
    info, cells = _sizes(reader)
    signature = evolve(signature, more=reader.at - head - 2)
    after = reader.at + info
    name = reader.uint()
    for _ in range(signature.positional + signature.keyword):
        reader.uint()
    deltas = reader.data[reader.at : after]
    start = after + cells
    code = read_instructions(CodeReader(reader.data, start), tables)
    return BytecodeFunction(name, head, signature, start, cells, code, _lines(deltas, code))


def _signature(reader: CodeReader) -> Signature:
    byte = reader.byte()
    state, handlers, positional = byte >> 3 & 15, byte >> 2 & 1, byte & 3
    flags = keyword = defaults = n = 0
    while byte & 0x80:
        byte = reader.byte()
        state |= (byte & 0x30) << 2 * n
        handlers |= (byte & 2) << n
        flags |= (byte >> 6 & 1) << n
        positional |= (byte & 4) << n
        keyword |= (byte >> 3 & 1) << n
        defaults |= (byte & 1) << n
        n += 1
    return Signature(state + 1, handlers, flags, positional, keyword, defaults)


def _sizes(reader: CodeReader) -> tuple[int, int]:
    info = cells = n = 0
    while True:
        byte = reader.byte()
        info |= (byte >> 1 & 0x3F) << 6 * n
        cells |= (byte & 1) << n
        n += 1
        if not byte & 0x80:
            return info, cells


def _lines(deltas: bytes, code: tuple[BytecodeInstruction, ...]) -> dict[int, int]:
    spans = []  # (bytes of code, number of lines)
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
