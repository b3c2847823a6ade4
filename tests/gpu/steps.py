"""Compare generated programs and the bench's on the host twin and on a GPU: outputs, ends, steps.

    python tests/gpu/steps.py BUILD RESULTS.json [--programs 300] [--seed 0]

BUILD has both targets and global arenas, because the programs need larger heaps than local memory
has. Each program runs in a separate interpreter; on the GPU all of them share one launch. The exit
status is the number of programs that differ. Programs that reach the limit of steps on both count
as equal.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
from attrs import astuple, frozen

from porter.base.files import write_whole
from porter.run import Device, Launch, Program, open_device, run
from porter_dev.torture.choices import Choices
from porter_dev.torture.python.program import generate

STEPS = 300_000
LAUNCH = Launch(
    heap=256 << 10, pystack=64 << 10, stack=64 << 10, stdout=64 << 10, stderr=16 << 10,
    max_steps=STEPS, timeout=120,
)  # fmt: skip
BENCH = Path(__file__).resolve().parents[2] / "porter_dev/bench/programs"


@frozen
class Ended:
    """The results of a program."""

    stdout: bytes
    stderr: bytes
    status: int
    steps: int


def ran(device: Device, programs: Sequence[Program]) -> list[Ended]:
    """Run each program in a separate interpreter of one launch."""
    which = np.arange(len(programs), dtype=np.uint32)
    result = run(device, programs, len(programs), LAUNCH, program_of=which)
    return [
        Ended(result.stdout[k], result.stderr[k], int(result.status[k]), int(result.steps[k]))
        for k in range(len(programs))
    ]


def main() -> int:
    """See above."""
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--targets", nargs=2, default=["host", "cuda"])
    options = parser.parse_args()
    named = {path.name: path.read_text() for path in sorted(BENCH.glob("*.py"))}
    for k in range(options.programs):
        named[f"{options.seed}-{k}"] = generate(Choices(f"{options.seed}/{k}")).source
    programs = [Program(source, "program.py") for source in named.values()]
    both = []
    for target in options.targets:
        device = open_device(options.build, target)
        both.append(ran(device, programs))
        device.close()
    differing = {
        name: [[str(value)[-300:] for value in astuple(one)] for one in pair]
        for name, pair in zip(named, zip(*both, strict=True), strict=True)
        if pair[0] != pair[1]
    }
    steps = [one.steps for one in both[0]]
    stopped = sum(one.steps >= STEPS for one in both[0])
    command = " ".join(["python tests/gpu/steps.py", *sys.argv[1:]])
    report = {
        "command": command, "programs": len(named), "steps": sum(steps), "at their limit": stopped,
        "differing": differing,
    }  # fmt: skip
    write_whole(options.results, json.dumps(report, indent=1) + "\n")
    for name, pair in differing.items():
        print(f"{name}: {pair}"[:400])
    print(f"{len(named)} programs, {sum(steps)} steps, {stopped} at their limit: ", end="")
    print(f"{len(differing)} differ")
    return min(len(differing), 99)


if __name__ == "__main__":
    sys.exit(main())
