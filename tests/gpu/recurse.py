"""Unbounded recursion on a GPU: every case must end with Python's result, for several C stacks.

    python tests/gpu/recurse.py BUILD [STACK_KIB ...]

With local arenas only the build's own C stack is tested.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from porter.run import Launch, open_device, run
from tests.recursion.cases import CASES

KIB = 1024
ENDS = ("GPUSNEK_OK", "GPUSNEK_EXCEPTION", "GPUSNEK_SYNTAX_ERROR")


def main() -> int:
    """Run all cases, one per warp; return the number of bad endings as the exit status."""
    device = open_device(Path(sys.argv[1]), "cuda")
    stacks = [None] if device.local else [int(text) * KIB for text in sys.argv[2:]]
    good = [device.built.constants[name] for name in ENDS]
    bad = 0
    for stack in stacks:
        launch = Launch(
            heap=96 * KIB, pystack=16 * KIB, stack=stack, stderr=16 * KIB, block=1, timeout=60.0
        )
        which = np.arange(len(CASES), dtype=np.uint32)
        result = run(device, list(CASES.values()), len(CASES), launch, program_of=which)
        wrong = [name for name, end in zip(CASES, result.status, strict=True) if end not in good]
        print(f"stack {stack or 'of the build'}: {len(CASES)} cases, bad: {wrong}", flush=True)
        bad += len(wrong)
    return min(bad, 100)


if __name__ == "__main__":
    raise SystemExit(main())
