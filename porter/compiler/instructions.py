"""Decode bytecode into instructions, as upstream's VM does.

mpy.py locates the code of each function, and tables.py has the opcodes and operand formats.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import frozen

from porter.compiler.opcodes import Trait, opcode
from porter.compiler.tables import Tables
from porter.errors import UpstreamChange

_WIDEST = 1 << 63  # exclusive maximum of a number in the format


@frozen
class BytecodeInstruction:
    """A bytecode instruction.

    Attributes:
        at: Position, in bytes from the function's first instruction.
        size: Length in bytes.
        name: Name, without the suffix of a family.
        argument: Operand, which follows the first byte or is part of it. For jumps, the position of
            the target.
        extra: The extra byte of instructions that have one, else 0.
    """

    at: int
    size: int
    name: str
    argument: int = 0
    extra: int = 0

    @property
    def next(self) -> int:
        """Position of the following instruction."""
        return self.at + self.size


class CodeReader:
    """A reader of bytes from position `at` on. Its methods raise IndexError at the end of the data.

    Attributes:
        data: The bytes.
        at: Position of the next byte.
    """

    def __init__(self, data: bytes, at: int) -> None:
        self.data = data
        self.at = at

    def byte(self) -> int:
        """Read a byte."""
        self.at += 1
        return self.data[self.at - 1]

    def bytes(self, count: int) -> bytes:
        """Read `count` bytes."""
        self.skip(count)
        return self.data[self.at - count : self.at]

    def skip(self, count: int) -> None:
        """Skip `count` bytes."""
        self.at += count
        if self.at > len(self.data):
            raise IndexError

    def uint(self) -> int:
        """Read a variable-length unsigned integer.

        Raises:
            UpstreamChange: It has more than 63 bits.
        """
        value = 0
        while True:
            byte = self.byte()
            value = value << 7 | byte & 0x7F
            if value >= _WIDEST:
                raise UpstreamChange("compiled code has a number that the .mpy format does not")
            if not byte & 0x80:
                return value


def read_instructions(reader: CodeReader, tables: Tables) -> tuple[BytecodeInstruction, ...]:
    """Decode a function's instructions, up to the last reachable one.

    Upstream's compiler leaves bytes of earlier passes behind it, which may be no instructions.

    Raises:
        UpstreamChange: A reachable instruction is unknown or incomplete.
    """
    code: dict[int, BytecodeInstruction] = {}
    targets: dict[int, int] = {}
    wrong = "the function ends"
    try:
        for instruction, jumps in _instructions(reader, reader.at, tables):
            code[instruction.at] = instruction
            if jumps:
                targets[instruction.at] = instruction.argument
    except IndexError:
        wrong = "an instruction ends too early"
    except UpstreamChange as error:
        wrong = error.message
    reached = _reached(code, targets)
    if not reached <= code.keys():
        raise UpstreamChange(f"compiled code cannot be read: {wrong}")
    last = max(reached)
    return tuple(instruction for at, instruction in code.items() if at <= last)


def _reached(code: Mapping[int, BytecodeInstruction], targets: Mapping[int, int]) -> set[int]:
    """Return the positions that are reachable from the function's start."""
    reached, todo = {0}, [0]
    while todo:
        at = todo.pop()
        instruction = code.get(at)
        if instruction is None:
            continue
        ways = [targets[at]] if at in targets else []
        if not opcode(instruction.name).ends:
            ways.append(instruction.next)
        new = set(ways) - reached
        reached |= new
        todo += new
    return reached


def _instructions(
    reader: CodeReader, start: int, tables: Tables
) -> Iterator[tuple[BytecodeInstruction, bool]]:
    """Yield each instruction, and whether its argument is the target of a jump."""
    while reader.at < len(reader.data):
        at = reader.at
        number = reader.byte()
        name, argument, extra, form = *_named(number, tables), 0, ""
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
        yield (
            BytecodeInstruction(at - start, reader.at - at, name, argument, extra),
            form == "offset",
        )


def _named(number: int, tables: Tables) -> tuple[str, int]:
    for name, (first, count) in tables.families.items():
        if first <= number < first + count:
            argument = number - first
            return name, argument - tables.excess if name == "LOAD_CONST_SMALL_INT" else argument
    if number not in tables.opcodes:
        raise UpstreamChange(f"py/bc0.h has no instruction {number:#x}")
    # Drop the suffix, so that an instruction has one name wherever its operand is.
    return tables.opcodes[number].removesuffix("_N"), 0


def _target(reader: CodeReader, name: str) -> int:
    value = reader.byte()
    wide = bool(value & 0x80)
    if wide:
        value = value & 0x7F | reader.byte() << 7
    if not opcode(name).has(Trait.FORWARD):
        value -= 0x4000 if wide else 0x40
    return reader.at + value


def _signed(reader: CodeReader) -> int:
    value = -1 if reader.data[reader.at] & 0x40 else 0
    while True:
        byte = reader.byte()
        value = value << 7 | byte & 0x7F
        if not byte & 0x80:
            return value
