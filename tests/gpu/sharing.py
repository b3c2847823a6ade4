"""Measure how much an endless interpreter delays the other interpreters of its warp.

    python tests/gpu/sharing.py BUILD RESULTS.json [--target cuda] [--heap 1M] [--only NAME]
    python tests/gpu/sharing.py BUILD RESULTS.json --one-source [--target cuda]

31 interpreters of a warp run one program and report their time; the 32nd runs a program of
tests/lang/endless.py until its deadline. `times` is the time of the slowest of the 31, divided by
its time beside an idle 32nd. `late` is the time in seconds from the deadline to the launch's end.
The heaps are large, so a GPU needs global arenas.

With --one-source all 64 interpreters of two warps run one program. A lane of each warp takes a
branch to an endless loop in Python. The others count words with their own data, so that they
diverge. `ms` is the median of their times.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lang"))

import numpy as np
from endless import PYTHON, SLOW, WORDS

from porter.base.files import write_whole
from porter.base.sizes import parse_size
from porter.run import Device, Launch, Program, open_device, run

WARP, ENDLESS = 32, 5  # interpreters, and which of them never ends
DEADLINE = 2.0
WORK = Program("""\
import gc, time
start = time.ticks_us()
for r in range(12):
    d = {}
    for i in range(60):
        d[str(i)] = '%.3f' % (i / 7)
    gc.collect()
print(time.ticks_us() - start)
""")


def beside(device: Device, source: str, heap: int, repeat: int) -> dict[str, Any]:
    """Return the minimum over launches of the slowest neighbour's milliseconds, and the delay of
    the end.
    """
    which = np.zeros(WARP, np.uint32)
    which[ENDLESS] = 1
    limits = [None if i != ENDLESS else DEADLINE for i in range(WARP)]
    launch = Launch(
        heap=heap, order=False, block=WARP, deadline=limits, timeout=10 * DEADLINE, fork=False
    )
    took, late, ends = [], 0.0, set()
    for _ in range(repeat):
        result = run(device, [WORK, Program(source)], WARP, launch, program_of=which)
        others = [i for i in range(WARP) if i != ENDLESS]
        assert not np.asarray(result.status)[others].any(), "a neighbour did not end well"
        took.append(max(int(result.stdout[i]) for i in others) / 1000)
        ended = result.statuses(int(np.asarray(result.status)[ENDLESS])).name
        ends.add(ended)
        if ended == "OUT_OF_TIME":
            late = max(late, result.seconds - DEADLINE)
    return {"ms": round(min(took), 2), "late": round(max(0.0, late), 3), "ends": sorted(ends)}


TIMED = f"""{WORDS}
import time
def main():
    begun = time.ticks_us()
    work(300)
    print(time.ticks_diff(time.ticks_us(), begun))
"""


def of_one_source(device: Device, endless: str) -> float:
    """Return the neighbours' median in milliseconds; an unfinished one counts with the deadline."""
    branch = "".join(f"    {line}\n" for line in endless.splitlines())
    source = f"{TIMED}\nif threadIdx % {WARP} == {ENDLESS}:\n{branch}else:\n    main()\n"
    result = run(device, [source], 2 * WARP, Launch(deadline=DEADLINE))
    others = [i for i in range(2 * WARP) if i % WARP != ENDLESS]
    return float(np.median([int(result.stdout[i] or 1e6 * DEADLINE) for i in others])) / 1000


def one_source(device: Device, only: tuple[str, ...]) -> dict[str, Any]:
    """Return a row for each endless Python loop whose name begins with one of `only` (or all)."""
    of_one_source(device, "pass")
    alone = of_one_source(device, "pass")
    rows = {"none": {"ms": alone, "times": 1.0}}
    for name, endless in PYTHON.items():
        if only and not name.startswith(only):
            continue
        took = of_one_source(device, endless)
        rows[name] = {"ms": took, "times": round(took / alone, 2)}
    for name, row in rows.items():
        print(f"{name:12} {row['ms']:9.1f} ms {row['times']:6.2f} times", flush=True)
    return rows


def main() -> None:
    """See above."""
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--target", default="cuda")
    parser.add_argument("--heap", type=parse_size, default=parse_size("1M"))
    parser.add_argument("--only", action="append", default=[], help="programs that begin so")
    parser.add_argument("--one-source", action="store_true")
    options = parser.parse_args()
    device = open_device(options.build, options.target)
    rows = (
        one_source(device, tuple(options.only)) if options.one_source else several(device, options)
    )
    command = " ".join(["python tests/gpu/sharing.py", *sys.argv[1:]])
    report = {"command": command, "build": device.built.manifest["release"], "rows": rows}
    write_whole(options.results, json.dumps(report, indent=1) + "\n")


def several(device: Device, options: argparse.Namespace) -> dict[str, Any]:
    """Return a row for each endless program that shares a warp with another program."""
    beside(device, "", options.heap, 1)
    alone = beside(device, "", options.heap, 3)
    rows: dict[str, Any] = {"alone": alone}
    for kind, programs in (SLOW | {"Python": PYTHON}).items():
        for name, source in programs.items():
            if options.only and not f"{kind}: {name}".startswith(tuple(options.only)):
                continue
            row = beside(device, source, options.heap, 1)
            if row["ends"] == ["OUT_OF_TIME"]:
                rows[f"{kind}: {name}"] = row | {"times": round(row["ms"] / alone["ms"], 2)}
    beside_all = sorted((row["times"], name) for name, row in rows.items() if "times" in row)
    for times, name in beside_all[-20:]:
        print(f"{name:32} {times:6.2f} times, {rows[name]['late']} s late")
    median = float(np.median([times for times, _ in beside_all]))
    print(f"alone {alone['ms']} ms; beside {len(beside_all)} programs {median:.2f} times (median)")
    return rows


if __name__ == "__main__":
    main()
