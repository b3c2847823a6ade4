"""Counts the instructions of `gpusnek_exec` on a host twin: counts repeat, seconds do not."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from porter.base import process
from porter.bench.catalogue import Benchmark
from porter.bench.measure import compiling
from porter.bench.oracle import check_ended, expected
from porter.bench.subjects import cells
from porter.errors import BenchFailed
from porter.run import Launch, Program, run
from porter.run.built import open_build
from porter.run.device.host import HostTwin

# Bytes an interpreter. They do not depend on the build, so the collector runs equally often.
SIZES = {"heap": 64 << 10, "pystack": 4 << 10, "stack": 32 << 10}
_ENTRY = "gpusnek_exec"
COMMAND = (
    "valgrind",
    "--tool=callgrind",
    f"--toggle-collect={_ENTRY}",
    f"--dump-after={_ENTRY}",
)
_TOTALS = re.compile(r"^(?:totals|summary): (\d+)", re.MULTILINE)
INDEX = 27  # whose work is counted: a Mandelbrot pixel that does not escape, some dict counting
# How often a benchmark runs in the two programs whose difference counts.
_FEW, _MANY = 1, 4


def read_counts(folder: Path, programs: int) -> list[int]:
    """Instructions of each program, in order, from callgrind's dumps `out.1` ... in `folder`.

    Raises BenchFailed.
    """
    counts = []
    for number in range(1, programs + 1):
        found = _TOTALS.search((folder / f"out.{number}").read_text())
        if found is None:
            raise BenchFailed(f"{folder}/out.{number} holds no totals")
        counts.append(int(found.group(1)))
    return counts


def count(build: Path, benchmarks: Sequence[Benchmark], folder: Path) -> dict[str, int]:
    """Instructions of one run of each benchmark's compiled code, by name; writes into `folder`.

    Neither starting nor compiling counts: what running it `_MANY` times takes beyond `_FEW` does.
    Raises ToolMissing without valgrind, ToolFailed, BenchFailed.
    """
    programs = []
    for benchmark in benchmarks:
        for times in (_FEW, _MANY):
            source = compiling(benchmark).source.decode() + f"for _i in range({times}): exec(_code)"
            shared = benchmark.setup is not None  # then it leaves its result in its data
            printed = "" if shared else expected(benchmark)[INDEX % benchmark.period].decode()
            programs.append({"source": source, "printed": printed * times, "shared": shared})
    folder.mkdir(parents=True, exist_ok=True)
    listed = folder / "programs.json"
    listed.write_text(json.dumps(programs))
    command = [sys.executable, "-m", __name__, str(build), str(listed)]
    root = Path(__file__).parents[2]
    output = f"--callgrind-out-file={folder}/out"
    process.run([*COMMAND, output, *command], timeout=1200, env={"PYTHONPATH": str(root)})
    counts = read_counts(folder, len(programs))
    pairs = zip(benchmarks, counts[::2], counts[1::2], strict=True)
    return {b.name: round((many - few) / (_MANY - _FEW)) for b, few, many in pairs}


def launch(build: Path, programs: Sequence[Mapping[str, Any]]) -> None:
    """Run programs one after the other on a host twin, one interpreter each. Raises BenchFailed."""
    device = HostTwin(open_build(build), threads=1)
    heap, pystack, stack = (SIZES[name] for name in ("heap", "pystack", "stack"))
    sizes = Launch(first=INDEX, total=INDEX + 1, heap=heap, pystack=pystack, stack=stack)
    data = cells(device.xp, INDEX + 1).reshape(-1)
    for program in programs:
        given = attrs.evolve(sizes, bind={"data": data} if program["shared"] else {})
        result = run(device, [Program(program["source"].encode())], 1, given)
        check_ended("callgrind", result, device)
        shown = result.stdout[0].decode()
        if shown != program["printed"]:
            raise BenchFailed(f"{shown!r} was printed, not {program['printed']!r}")


if __name__ == "__main__":
    launch(Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text()))
