"""Mutations of `.mpy` files: flipped, cut, copied and inserted bytes, and changed instructions.

`mutants` makes files of a seed from valid ones. `parts` finds the functions of a valid file. Most
mutations change a prelude or an instruction and keep the lengths around it correct.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random

from attrs import frozen

from tests.verify.making import number, numbers

_INTERESTING = bytes([0, 1, 2, 3, 4, 7, 0x0F, 0x10, 0x3F, 0x40, 0x7F, 0x80, 0x81, 0xC0, 0xFE, 0xFF])
_MOST_TEXTS = 4  # changes of one file


@frozen
class Part:
    """A function in a file: the position of its length, its data, and its first instruction."""

    head: int
    start: int
    end: int
    code: int


def read_number(data: bytes, at: int) -> tuple[int, int]:
    """Decode a number. Returns it, and the position behind it."""
    value = 0
    while True:
        value = value << 7 | data[at] & 0x7F
        at += 1
        if not data[at - 1] & 0x80:
            return value, at


def parts(data: bytes) -> list[Part]:
    """Find the functions of a valid file, outermost first."""
    names, at = read_number(data, 4)
    objects, at = read_number(data, at)
    for _ in range(names):
        length, at = read_number(data, at)
        at += 0 if length & 1 else (length >> 1) + 1
    for _ in range(objects):
        at = _behind_object(data, at)
    found: list[Part] = []
    _functions(data, at, found)
    return found


def _behind_object(data: bytes, at: int) -> int:
    kind, at = data[at], at + 1
    if kind in range(1, 5):  # None, False, True, Ellipsis
        return at
    length, at = read_number(data, at)
    if kind == 10:  # a tuple
        for _ in range(length):
            at = _behind_object(data, at)
        return at
    return at + length + (kind in (5, 6))  # a NUL follows a str and bytes


def _functions(data: bytes, at: int, found: list[Part]) -> int:
    head = at
    kind, start = read_number(data, at)
    end = at = start + (kind >> 3)
    found.append(Part(head, start, end, _code(data, start)))
    if kind & 4:
        count, at = read_number(data, at)
        for _ in range(count):
            at = _functions(data, at, found)
    return at


def _code(data: bytes, at: int) -> int:
    """Where the first instruction of the function with its prelude at `at` is."""
    while data[at] & 0x80:
        at += 1
    at += 1
    info = cells = shift = 0
    while True:
        byte, at = data[at], at + 1
        cells |= (byte & 1) << shift
        info |= (byte >> 1 & 0x3F) << 6 * shift
        shift += 1
        if not byte & 0x80:
            return at + info + cells


def mutants(files: Sequence[bytes], random: Random) -> Iterator[bytes]:
    """Generate mutants of valid files without an end."""
    known = [(data, parts(data)) for data in files]
    while True:
        data, functions = random.choice(known)
        mutant, part = data, random.choice(functions)
        for _ in range(random.choice([1, 1, 1, 2, _MOST_TEXTS])):
            mutant = random.choice(_CHANGES)(mutant, part, random)
            if len(mutant) != len(data):
                break  # the other functions have moved
        if mutant == data or random.random() < 0.15:
            mutant = _graft(data, part, random, *random.choice(known))
        if random.random() < 0.05:
            mutant = _splice(mutant, random.choice(files), random)
        yield mutant


Change = Callable[[bytes, Part, Random], bytes]


def _set(data: bytes, at: int, value: int) -> bytes:
    return data[:at] + bytes([value & 0xFF]) + data[at + 1 :]


def _flip(data: bytes, part: Part, random: Random) -> bytes:
    at = random.randrange(part.start, part.end)
    return _set(data, at, data[at] ^ 1 << random.randrange(8))


def _flip_anywhere(data: bytes, part: Part, random: Random) -> bytes:
    at = random.randrange(len(data))
    return _set(data, at, data[at] ^ 1 << random.randrange(8))


def _replace(data: bytes, part: Part, random: Random) -> bytes:
    return _set(data, random.randrange(part.start, part.end), random.choice(_INTERESTING))


def _prelude(data: bytes, part: Part, random: Random) -> bytes:
    return _set(data, random.randrange(part.start, part.code), random.randrange(256))


def _opcode(data: bytes, part: Part, random: Random) -> bytes:
    at = random.randrange(part.code, part.end)
    return _set(data, at, random.choice(list(numbers().values())))


def _nudge(data: bytes, part: Part, random: Random) -> bytes:
    """Change an operand or a jump's distance a little."""
    at = random.randrange(part.code, part.end)
    return _set(data, at, data[at] + random.choice([-4, -2, -1, 1, 2, 4]))


def _swap(data: bytes, part: Part, random: Random) -> bytes:
    """Exchange two pieces of code of one size."""
    size = random.randrange(1, 4)
    if part.end - part.code < 2 * size:
        return data
    one = random.randrange(part.code, part.end - size + 1)
    other = random.randrange(part.code, part.end - size + 1)
    if abs(one - other) < size:
        return data
    changed = bytearray(data)
    changed[one : one + size], changed[other : other + size] = (
        data[other : other + size],
        data[one : one + size],
    )
    return bytes(changed)


def _resized(data: bytes, part: Part, at: int, cut: int, text: bytes) -> bytes:
    """Replace `cut` bytes of a function's data by `text`, and its length accordingly."""
    kind, _ = read_number(data, part.head)
    length = part.end - part.start - cut + len(text)
    head = number(length << 3 | kind & 7)
    return data[: part.head] + head + data[part.start : at] + text + data[at + cut :]


def _insert(data: bytes, part: Part, random: Random) -> bytes:
    at = random.randrange(part.code, part.end)
    text = bytes([random.choice(list(numbers().values()))])
    return _resized(data, part, at, 0, text + random.randbytes(random.randrange(2)))


def _delete(data: bytes, part: Part, random: Random) -> bytes:
    at = random.randrange(part.code, part.end)
    return _resized(data, part, at, min(random.randrange(1, 4), part.end - at), b"")


def _copy(data: bytes, part: Part, random: Random) -> bytes:
    """Insert a piece of the function's own code."""
    start = random.randrange(part.code, part.end)
    text = data[start : min(part.end, start + random.randrange(1, 12))]
    return _resized(data, part, random.randrange(part.code, part.end), 0, text)


def _truncate(data: bytes, part: Part, random: Random) -> bytes:
    return data[: random.randrange(len(data))]


def _graft(data: bytes, part: Part, random: Random, other: bytes, others: Sequence[Part]) -> bytes:
    """Insert a piece of another file's code, in the place of one of its size or between two."""
    source = random.choice(others)
    start = random.randrange(source.code, source.end)
    text = other[start : min(source.end, start + random.randrange(1, 20))]
    at = random.randrange(part.code, part.end)
    cut = random.choice([0, min(len(text), part.end - at)])
    return _resized(data, part, at, cut, text)


def _splice(data: bytes, other: bytes, random: Random) -> bytes:
    """Join the beginning of one file and the end of another one."""
    return data[: random.randrange(len(data) + 1)] + other[random.randrange(len(other)) :]


# Changes that keep the structure of the file come more often.
_CHANGES: tuple[Change, ...] = (
    *(_flip, _replace, _prelude, _opcode, _opcode, _nudge, _nudge, _swap, _swap),
    *(_insert, _delete, _copy, _insert, _delete, _copy),
    *(_flip_anywhere, _truncate),
)
