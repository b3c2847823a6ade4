"""Write `.mpy` files byte by byte, so that tests can write malformed ones, and load them.

`assemble` encodes instructions, `function` and `module` put them into upstream's format, and
`loads` loads many files in interpreters. The tests of this folder use this module.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from porter.base import paths
from porter.compiler.tables import Tables, read_tables
from porter.run import Device, Launch, Program, run
from porter_dev import builds

SMALL_INT_BITS = 31
NAMES = (b"name", b"other")
NONE_OBJECT = b"\x01"
Instruction = str | tuple[str, int | bytes]
RETURN: tuple[Instruction, ...] = ("LOAD_CONST_NONE", "RETURN_VALUE")
ACCEPTED, REJECTED = "accepted", "rejected"
_TOGETHER = 16  # files that one interpreter loads

# ValueError: not acceptable. Any other exception fails the test that compares the answers.
_LOADING = """
import marshal
for data in {data}:
    try:
        code = marshal.loads(data)
        print('accepted')
    except ValueError as e:
        print('rejected' if str(e) == 'incompatible .mpy file' else repr(e))
    except Exception as e:
        print(repr(e))
"""


@cache
def tables(release: str = "") -> Tables:
    """Return the instructions of a release, or of the newest synced one."""
    return read_tables(paths.upstream_dir() / (release or builds.release()), paths.templates_dir())


@cache
def numbers() -> Mapping[str, int]:
    """Return the number of each instruction by its name in `py/bc0.h`."""
    known = tables()
    families = {name + "_MULTI": first for name, (first, _) in known.families.items()}
    return {name: number for number, name in known.opcodes.items()} | families


def number(value: int) -> bytes:
    """Encode an unsigned number, seven bits a byte, the highest first."""
    parts = [value & 0x7F]
    while value := value >> 7:
        parts.append(value & 0x7F | 0x80)
    return bytes(reversed(parts))


def assemble(*instructions: Instruction) -> bytes:
    """Encode instructions: a name, or a name with a number or with the bytes that follow."""
    code = b""
    for instruction in instructions:
        name, operand = (instruction, b"") if isinstance(instruction, str) else instruction
        code += bytes([numbers()[name]])
        code += operand if isinstance(operand, bytes) else number(operand)
    return code


def function(
    code: bytes,
    *,
    state: int = 8,
    handlers: int = 0,
    flags: int = 0,
    positional: int = 0,
    keyword: int = 0,
    defaults: int = 0,
    cells: bytes = b"",
    info: bytes | None = None,
    children: Sequence[bytes] = (),
) -> bytes:
    """Encode a function with its prelude.

    Args:
        code: Its instructions.
        state: Slots of its frame.
        handlers: Slots of its exception stack.
        flags: MP_SCOPE_FLAG_xxx: 1 generator, 2 `**`, 4 `*`, 8 defaults by name.
        positional: Number of arguments.
        keyword: Number of arguments that are passed by name only.
        defaults: Number of default values.
        cells: Local variables that become cells.
        info: Names and lines, where they are not the first name for each.
        children: The functions that it makes.
    """
    if info is None:
        info = bytes(1 + positional + keyword)
    prelude = _signature(state - 1, handlers, flags, positional, keyword, defaults)
    data = prelude + _sizes(len(info), len(cells)) + info + cells + code
    head = number(len(data) << 3 | bool(children) << 2)
    return head + data + (number(len(children)) + b"".join(children) if children else b"")


def module(
    top: bytes, *, names: Sequence[bytes] = NAMES, objects: Sequence[bytes] = (NONE_OBJECT,)
) -> bytes:
    """Encode a file: its header, tables, and its outermost function."""
    texts = b"".join(number(len(name) << 1) + name + b"\0" for name in names)
    counts = number(len(names)) + number(len(objects))
    return bytes([ord("M"), 6, 0, SMALL_INT_BITS]) + counts + texts + b"".join(objects) + top


def _signature(
    state: int, handlers: int, flags: int, positional: int, keyword: int, defaults: int
) -> bytes:
    """MP_BC_PRELUDE_SIG_ENCODE."""
    out = [(state & 0xF) << 3 | (handlers & 1) << 2 | positional & 3]
    state, handlers, positional = state >> 4, handlers >> 1, positional >> 2
    while state | handlers | flags | positional | keyword | defaults:
        out[-1] |= 0x80
        out.append(
            (flags & 1) << 6
            | (state & 3) << 4
            | (keyword & 1) << 3
            | (positional & 1) << 2
            | (handlers & 1) << 1
            | defaults & 1
        )
        state, handlers, flags = state >> 2, handlers >> 1, flags >> 1
        positional, keyword, defaults = positional >> 1, keyword >> 1, defaults >> 1
    return bytes(out)


def _sizes(info: int, cells: int) -> bytes:
    """MP_BC_PRELUDE_SIZE_ENCODE."""
    out = []
    while True:
        out.append((info & 0x3F) << 1 | cells & 1)
        info, cells = info >> 6, cells >> 1
        if not info | cells:
            return bytes(out)
        out[-1] |= 0x80


def loads(device: Device, files: Sequence[bytes], *, sandbox: bool = False) -> list[str]:
    """Have interpreters load files with `marshal.loads`.

    Returns:
        ACCEPTED, REJECTED, or the representation of another exception, for each file.
    """
    parts = [files[at : at + _TOGETHER] for at in range(0, len(files), _TOGETHER)]
    programs = [Program(_LOADING.format(data=tuple(part)).encode(), "load") for part in parts]
    launch = Launch(stdout=4096, merge_stderr=True, heap=256 << 10, sandbox=sandbox)
    which = np.arange(len(programs), dtype=np.uint32)
    result = run(device, programs, len(programs), launch, program_of=which)
    answers = [result.stdout[i].decode().splitlines() for i in range(len(parts))]
    return [answer for part in answers for answer in part]
