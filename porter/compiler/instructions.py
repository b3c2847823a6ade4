"""Bytecode as upstream's VM reads it: one instruction after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import frozen

from porter.compiler.tables import Tables
from porter.errors import UpstreamChange

_WIDEST = 1 << 63  # no number of the format is larger
_FORWARD = (
    "JUMP_IF_TRUE_OR_POP",
    "JUMP_IF_FALSE_OR_POP",
    "SETUP_WITH",
    "SETUP_EXCEPT",
    "SETUP_FINALLY",
    "POP_EXCEPT_JUMP",
    "FOR_ITER",
)
# What never goes on with the next instruction.
_LAST = frozenset(
    [
        "JUMP",
        "UNWIND_JUMP",
        "POP_EXCEPT_JUMP",
        "RETURN_VALUE",
        "RAISE_LAST",
        "RAISE_OBJ",
        "RAISE_FROM",
    ]
)


@frozen
class BytecodeInstruction:
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


class CodeReader:
    """Bytes of compiled code, one after the other. Raises IndexError where they end."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data = data
        self.at = at

    def byte(self) -> int:
        """The next one."""
        self.at += 1
        return self.data[self.at - 1]

    def bytes(self, count: int) -> bytes:
        """The next `count`."""
        self.skip(count)
        return self.data[self.at - count : self.at]

    def skip(self, count: int) -> None:
        """Go on behind the next `count`."""
        self.at += count
        if self.at > len(self.data):
            raise IndexError

    def uint(self) -> int:
        """A number of the format. Raises UpstreamChange for one that is too large."""
        value = 0
        while True:
            byte = self.byte()
            value = value << 7 | byte & 0x7F
            if value >= _WIDEST:
                raise UpstreamChange("compiled code has a number that the .mpy format does not")
            if not byte & 0x80:
                return value


def read_instructions(reader: CodeReader, tables: Tables) -> tuple[BytecodeInstruction, ...]:
    """A function's instructions, from its first to the last one that can run.

    Upstream's compiler leaves bytes behind that one, of earlier passes, which may be no
    instructions. Raises UpstreamChange where an instruction that can run is none.
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
    """Where the function can come, from its start."""
    reached, todo = {0}, [0]
    while todo:
        at = todo.pop()
        instruction = code.get(at)
        if instruction is None:
            continue
        ways = [targets[at]] if at in targets else []
        if instruction.name not in _LAST:
            ways.append(instruction.next)
        new = set(ways) - reached
        reached |= new
        todo += new
    return reached


def _instructions(
    reader: CodeReader, start: int, tables: Tables
) -> Iterator[tuple[BytecodeInstruction, bool]]:
    """Each, and whether its argument is where it jumps to."""
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
    # One name for an instruction, whether or not its operand is in the first byte.
    return tables.opcodes[number].removesuffix("_N"), 0


def _target(reader: CodeReader, name: str) -> int:
    value = reader.byte()
    wide = bool(value & 0x80)
    if wide:
        value = value & 0x7F | reader.byte() << 7
    if name not in _FORWARD:
        value -= 0x4000 if wide else 0x40
    return reader.at + value


def _signed(reader: CodeReader) -> int:
    value = -1 if reader.data[reader.at] & 0x40 else 0
    while True:
        byte = reader.byte()
        value = value << 7 | byte & 0x7F
        if not byte & 0x80:
            return value
