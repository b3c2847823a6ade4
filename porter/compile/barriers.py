"""Where lanes of a warp can meet again in device code: its convergence barriers, by function.

    python -m porter.compile.barriers CUBIN... [FUNCTION...]

prints a line for each function that may part lanes or has one yield: branches that part them,
regions at whose end lanes meet (BSSY), exits from such a region (BREAK), waits for lanes by name,
places where others of a warp get a turn (YIELD), and instructions in all. Lanes that get one while
a function that they wait behind has barriers of its callers saved wait no longer
(docs/lab/compiled.md, "Yields").
"""

from __future__ import annotations

import struct
import sys
from collections import Counter
from pathlib import Path

from attrs import frozen

from porter.compile.elf import ElfProblem, functions
from porter.errors import VerifyFailed

_BYTES = 16  # of an instruction, on sm_70 and later
_BSSY, _BREAK, _BRA, _BRX, _WARPSYNC, _YIELD = 0x945, 0x942, 0x947, 0x949, 0x948, 0x946
_SAVE, _FIRST_OF_CALLERS = 0x355, 6  # BMOV.32.CLEAR; callees save this barrier and all behind it
_ALWAYS = 7  # the predicate of an instruction that every lane executes


@frozen
class Barriers:
    """Counts of one function. A function with branches and no regions never brings lanes together.

    branches: conditional or indexed. regions: begun by BSSY. breaks: exits from them. warpsyncs:
    waits for lanes by name. yields: a compiler has one in a function that has an atomic operation,
    or an access to memory that is stronger than a plain one. instructions: all. saved: the numbers
    of its callers' barriers that it saves, in which lanes that execute it are then not named.
    """

    branches: int
    regions: int
    breaks: int
    warpsyncs: int
    yields: int
    instructions: int
    saved: frozenset[int]


def count(code: bytes) -> Barriers:
    """Count in raw machine code of sm_70 or later."""
    found: Counter[int] = Counter()
    saved: set[int] = set()
    branches = 0
    for (low,) in struct.iter_unpack("<Q8x", code[: len(code) // _BYTES * _BYTES]):
        opcode, predicate = low & 0xFFF, low >> 12 & 7
        found[opcode] += 1
        if opcode == _SAVE:
            saved.add(low >> 24 & 15)
        branches += opcode == _BRX or (opcode == _BRA and predicate != _ALWAYS)
    return Barriers(
        branches=branches,
        regions=found[_BSSY],
        breaks=found[_BREAK],
        warpsyncs=found[_WARPSYNC],
        yields=found[_YIELD],
        instructions=len(code) // _BYTES,
        saved=frozenset(number for number in saved if number >= _FIRST_OF_CALLERS),
    )


def barriers(cubin: Path) -> dict[str, Barriers]:
    """Of every function in `cubin`, by its symbol. Raises VerifyFailed for what is no cubin."""
    try:
        return {name: count(code) for name, code in functions(cubin).items()}
    except (ElfProblem, OSError) as error:
        raise VerifyFailed(f"{cubin}: {error}") from error


def main(arguments: list[str]) -> None:
    """See above."""
    print("branches regions breaks warpsyncs yields instructions function")
    cubins = [Path(argument) for argument in arguments if argument.endswith(".cubin")]
    wanted = [argument for argument in arguments if not argument.endswith(".cubin")]
    for cubin in cubins:
        for name, b in sorted(barriers(cubin).items()):
            if (b.branches or b.yields) and (not wanted or any(part in name for part in wanted)):
                counts = (b.branches, b.regions, b.breaks, b.warpsyncs, b.yields, b.instructions)
                print(*(f"{n:8}" for n in counts), name)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except VerifyFailed as error:
        sys.exit(error.message)
