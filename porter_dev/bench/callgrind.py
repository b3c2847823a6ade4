"""Count the instructions of `gpusnek_exec` on a host twin; unlike seconds, counts repeat."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from porter.base import process
from porter.errors import BenchFailed
from porter.run import Launch, Program, run
from porter.run.built import open_build
from porter.run.device.host import HostTwin
from porter_dev.bench.catalogue import Benchmark
from porter_dev.bench.measurement import compiling
from porter_dev.bench.oracle import cells, check_ended, expected

# Bytes per interpreter, fixed for all builds, so that the collector runs equally often.
SIZES = {"heap": 64 << 10, "pystack": 4 << 10, "stack": 32 << 10}
_ENTRY = "gpusnek_exec"
COMMAND = (
    "valgrind",
    "--tool=callgrind",
    f"--toggle-collect={_ENTRY}",
    f"--dump-after={_ENTRY}",
)
_TOTALS = re.compile(r"^(?:totals|summary): (\d+)", re.MULTILINE)
INDEX = 27  # the interpreter to count: its Mandelbrot pixel does not escape, its dict counts some
# Executions of a benchmark in the two programs whose difference is its count.
_FEW, _MANY = 1, 4


def read_counts(folder: Path, programs: int) -> list[int]:
    """Read the instructions of each program, in order, from callgrind's dumps `out.N` in `folder`.

    Raises:
        BenchFailed: A dump has no total.
    """
    counts = []
    for number in range(1, programs + 1):
        found = _TOTALS.search((folder / f"out.{number}").read_text())
        if found is None:
            raise BenchFailed(f"{folder}/out.{number} holds no totals")
        counts.append(int(found.group(1)))
    return counts


def count(build: Path, benchmarks: Sequence[Benchmark], folder: Path) -> dict[str, int]:
    """Count the instructions of one run of each benchmark's compiled code, by name.

    Starting and compiling do not count: the result is the difference between `_MANY` and `_FEW`
    executions, per execution. Intermediate files go to `folder`.

    Raises:
        ToolMissing: valgrind is not installed.
        ToolFailed: valgrind fails.
        BenchFailed: A program fails, or a dump has no total.
    """
    programs = []
    for benchmark in benchmarks:
        for times in (_FEW, _MANY):
            source = compiling(benchmark).source.decode() + f"for _i in range({times}): exec(_code)"
            shared = benchmark.setup is not None  # the result stays in its data, not in its output
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
    """Run programs in turn on a host twin, one interpreter each. Raises BenchFailed."""
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
