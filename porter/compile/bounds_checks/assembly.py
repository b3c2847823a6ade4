"""Parse PTX for bounds checks: functions, their basic blocks, and instructions with operands.

Only the format that nvcc writes is supported, one instruction per line (PTX ISA, "Instruction
statements"). Unknown text that may contain an access is an error, so that no access is missed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple


class UnreadPtx(Exception):
    """PTX in a form that the parser does not know; the message shows the line."""


class Access(NamedTuple):
    """A memory access `[base+offset]` of `size` bytes.

    Attributes:
        base: A register or a symbol.
        offset: The offset in bytes.
        size: The size in bytes.
        space: "" (generic), "local" or "global".
        stores: Whether it is a store.
    """

    base: str
    offset: int
    size: int
    space: str
    stores: bool


class Instruction(NamedTuple):
    """A line of a function's body.

    Attributes:
        line: Its number in the unit, from 0.
        name: The opcode with its suffixes; "" if the line is no instruction.
        operands: The operands.
        writes: The registers that it defines.
        access: Its memory access.
        target: The label that a branch goes to.
        always: Whether the branch is unconditional.
    """

    line: int
    name: str
    operands: tuple[str, ...]
    writes: tuple[str, ...]
    access: Access | None = None
    target: str = ""
    always: bool = False


class BasicBlock(NamedTuple):
    """A basic block; `label` is "" unless a branch leads to it."""

    label: str
    instructions: tuple[Instruction, ...]
    following: tuple[int, ...]  # numbers of the successor blocks


class PtxFunction(NamedTuple):
    """A function with a body. head: the text before it. first, last: the lines of its braces."""

    head: str
    first: int
    last: int
    blocks: tuple[BasicBlock, ...]

    def instructions(self) -> Iterator[Instruction]:
        """Yield all instructions in the order of the text."""
        for block in self.blocks:
            yield from block.instructions


_HEADS = (".func", ".visible .func", ".weak .func", ".entry", ".visible .entry")
_LABEL = re.compile(r"^\s*(\$?[\w$]+):\s*(//.*)?$")
_LINE = re.compile(r"^\s*(?:@(!?%p\d+)\s+)?([a-z][\w.]*)(?:\s+(.*?))?;?\s*$")
_REGISTER = re.compile(r"%[a-zA-Z]+\d*")
_MEMORY = re.compile(r"^(ld|st|atom|red)\.")
_ANYWHERE = re.compile(r"(?<![\w.$])(?:ld|st|atom|red)\.(?!param\b)[a-z0-9_.]+\s")
_PLACE = re.compile(r"\[([%$\w]+)(?:\+(-?\d+))?\]")
_TYPE = re.compile(r"[usbf](8|16|32|64)$")
_WIDTH = re.compile(r"v([248])")
_SPACES = ("local", "global")
_HARMLESS = ("param", "const", "shared")
_ENDS = ("ret", "exit", "trap")
# Instructions whose first operand is no result.
_NO_RESULT = ("st", "red", "bra", "bar", "barrier", "membar", "fence", "nanosleep", "prefetch")


def functions(lines: list[str]) -> Iterator[PtxFunction]:
    """Yield the functions of a unit that have a body. Raises UnreadPtx."""
    start: int | None = None
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.startswith(_HEADS):
            start = at
        elif line.startswith("{") and start is not None:
            last = next(i for i in range(at, len(lines)) if lines[i].startswith("}"))
            yield PtxFunction("\n".join(lines[start:at]), at, last, _blocks(lines, at, last))
            at, start = last, None
        elif line.startswith(";"):
            start = None
        at += 1


def _blocks(lines: list[str], first: int, last: int) -> tuple[BasicBlock, ...]:
    pieces: list[tuple[str, list[Instruction]]] = [("", [])]
    for at in range(first + 1, last):
        begins = _LABEL.match(lines[at])
        if begins is not None:
            pieces.append((begins.group(1), []))
            continue
        instruction = _instruction(lines[at], at)
        pieces[-1][1].append(instruction)
        if instruction.target or instruction.name in _ENDS:
            pieces.append(("", []))
    numbers = {label: number for number, (label, _) in enumerate(pieces) if label}
    blocks = []
    for number, (label, body) in enumerate(pieces):
        end = body[-1] if body else None
        following = []
        if end is not None and end.target:
            following.append(numbers[end.target])
        if end is None or not (end.always or end.name in _ENDS):
            following.extend([number + 1] if number + 1 < len(pieces) else [])
        blocks.append(BasicBlock(label, tuple(body), tuple(following)))
    return tuple(blocks)


def _instruction(line: str, at: int) -> Instruction:
    text = line.split("//")[0].strip()
    found = None if text.startswith(("{", "}", "(", ")", ".", ",", "%")) else _LINE.match(text)
    if found is None or not text.endswith(";"):
        if _ANYWHERE.search(text):
            raise UnreadPtx(f"an access inside another statement: {text}")
        # Parts of a call, scopes, declarations; every register that they name may be written.
        return Instruction(at, "", (), tuple(_REGISTER.findall(text)))
    guard, name, rest = found.groups()
    if name.startswith("brx"):
        raise UnreadPtx(f"a branch through a table: {text}")
    if name.startswith("bra"):
        return Instruction(at, name, (), (), None, rest.strip(), guard is None)
    operands = tuple(part.strip() for part in _split(rest or ""))
    if not _MEMORY.match(name):
        writes = tuple(_REGISTER.findall(operands[0])) if operands else ()
        kind = name.split(".")[0]
        return Instruction(at, name, operands, () if kind in _NO_RESULT else writes)
    if guard is not None:
        raise UnreadPtx(f"an access under a predicate: {text}")
    stores = not name.startswith("ld")
    writes = tuple(_REGISTER.findall(operands[0])) if name.startswith(("ld", "atom")) else ()
    return Instruction(at, name, operands, writes, _access(name, operands, stores, text))


def _split(text: str) -> Iterator[str]:
    """Yield the operands, which are separated by commas outside of brackets."""
    depth, start = 0, 0
    for at, character in enumerate(text):
        depth += (character in "{[(") - (character in "}])")
        if character == "," and depth == 0:
            yield text[start:at]
            start = at + 1
    if text[start:].strip():
        yield text[start:]


def _access(name: str, operands: tuple[str, ...], stores: bool, text: str) -> Access | None:
    parts = name.split(".")
    if any(part in _HARMLESS for part in parts):
        return None
    place = next((_PLACE.fullmatch(part) for part in operands if part.startswith("[")), None)
    size = _TYPE.match(parts[-1])
    if place is None or size is None:
        raise UnreadPtx(f"an access that fences cannot read: {text}")
    width = next((int(m.group(1)) for m in map(_WIDTH.fullmatch, parts) if m), 1)
    space = next((part for part in parts if part in _SPACES), "")
    bytes_ = int(size.group(1)) // 8 * width
    return Access(place.group(1), int(place.group(2) or 0), bytes_, space, stores)
