"""Count convergence barriers in a cubin: where the lanes of a warp can reconverge, by function.

    python -m porter.compile.barriers CUBIN... [FUNCTION...]

prints a line for each function with a divergent branch or a YIELD. The columns: divergent branches,
convergence regions (BSSY), early exits from a region (BREAK), WARPSYNCs, YIELDs and all
instructions. A YIELD inside a function that has saved and cleared its callers' barriers breaks
reconvergence in the callers (docs/lab/compiled.md, "Yields"). A diagnostic; builds do not call it.
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
_SAVE, _FIRST_OF_CALLERS = 0x355, 6  # BMOV.32.CLEAR; barriers from 6 on are callee-saved
_ALWAYS = 7  # the predicate PT: every lane executes the instruction


@frozen
class Barriers:
    """The convergence instructions of one function.

    Lanes that diverge in a function with branches but without regions do not reconverge there.

    Attributes:
        branches: Conditional and indexed branches.
        regions: Convergence regions (BSSY).
        breaks: Early exits from regions (BREAK).
        warpsyncs: WARPSYNC instructions, which wait for the lanes of a mask.
        yields: YIELD instructions. ptxas emits one per function and loop with an access that is
            stronger than a plain one (atomic, volatile, ordered).
        instructions: All instructions.
        saved: The callers' barriers that the function saves and clears. A lane that runs the
            function is no member of these barriers until the function restores them.
    """

    branches: int
    regions: int
    breaks: int
    warpsyncs: int
    yields: int
    instructions: int
    saved: frozenset[int]


def count(code: bytes) -> Barriers:
    """Count the convergence instructions in the SASS of one function (sm_70 or later)."""
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
    """Return the counts of every function in `cubin`, by symbol.

    Raises:
        VerifyFailed: `cubin` is no cubin, or cannot be read.
    """
    try:
        return {name: count(code) for name, code in functions(cubin).items()}
    except (ElfProblem, OSError) as error:
        raise VerifyFailed(f"{cubin}: {error}") from error


def main(arguments: list[str]) -> None:
    """Print the table that the module's docstring describes."""
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
