"""Hostile and endless programs among thousands of neighbours: their ends, and affected neighbours.

    python tests/gpu/hostile.py BUILD RESULTS.json [--target cuda] [--neighbours 10000] [--heap 1M]

Each program runs in three interpreters of one launch, the first, one in the middle and the last, in
the caller's order, so that it shares its warp with neighbours. The neighbours must end with OK and
print their usual output. A program that exceeds its deadline is judged by the delay of the launch's
end. A build with bounds checks also runs the programs that only bounds checks stop. The exit status
is the number of programs with a forbidden outcome.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lang"))

import numpy as np
from endless import SLOW

from porter.base.files import write_whole
from porter.base.sizes import parse_size
from porter.errors import PorterError
from porter.run import Device, Launch, Program, open_device, run

TESTS = Path(__file__).resolve().parents[1]
DEADLINE = 0.5  # seconds of each interpreter
LATE = 0.2  # seconds after it at which a launch may end
NEIGHBOUR = Program("""\
import gc
d = {}
for i in range(60):
    d[str(i)] = '%.3f' % (i / 7)
    if i % 20 == 0:
        gc.collect()
print(len(d), d['59'])
""")
CANVAS = "import framebuf\nCANVAS = framebuf.FrameBuffer(bytearray(64), 8, 8, framebuf.GS8)\n"
# Programs that would end a process or a launch without countermeasures (from the issue).
HOSTILE = {
    "center": "''.center(-1)",
    "list product": "[0] * (1 << 61)",
    "tuple product": "(0,) * (1 << 61)",
    "list product in place": "a = [0]\na *= 1 << 61",
    "str product": "'abcd' * (1 << 62)",
    "bytes product": "b'abcd' * (1 << 62)",
    "BytesIO": "import io\nb = io.BytesIO()\nb.seek(1 << 32)\nb.write(b'x')",
    "StringIO": "import io\nb = io.StringIO()\nb.seek(1 << 32)\nb.write('x')",
    "scroll": CANVAS + "CANVAS.scroll(4294967295, -1)",
    "writer": "import io\nb = io.BufferedWriter(None, 10)\nb.write(b'a')\nb.flush()",
    "writer of nothing": "import io\nio.BufferedWriter(io.BytesIO(), 0).write(b'abc')",
    "empty product": "[] * (1 << 62)",
    "calcsize": "import struct\nstruct.calcsize('%dq' % (1 << 61))",
    "ellipse": CANVAS + "CANVAS.ellipse(0, 0, 1 << 62, 1 << 62, 1)",
    "marshal": "import marshal\nmarshal.loads(b'M\\x06\\x00\\x1f' + b'\\xff' * 40)",
    "400,000 lines": "exec('a = 1\\n' * 400_000)",
}
ADDRESSES = {
    "address 0": "import uctypes\nuctypes.bytes_at(0, 8)",
    "address 1 << 46": "import uctypes\nuctypes.bytes_at(1 << 46, 8)",
    "store at 1 << 47": "import uctypes\nuctypes.bytearray_at(1 << 47, 8)[0] = 1",
}


def programs(fences: bool) -> Iterator[tuple[str, Program]]:
    """Yield each program with its name; with bounds checks also programs that only these stop."""
    for name, source in (HOSTILE | (ADDRESSES if fences else {})).items():
        yield name, Program(source)
    for kind, some in SLOW.items():
        for name, source in some.items():
            yield f"{kind}: {name}", Program(source)
    for folder in ("fuzz", "bounds_checks") if fences else ("fuzz",):
        for path in sorted((TESTS / folder / "findings").glob("*.py")):
            yield f"{folder}: {path.stem}", Program(path.read_bytes(), path.name)


def tried(device: Device, program: Program, count: int, sizes: dict[str, Any]) -> dict[str, Any]:
    """Return how `program` ended, and a list of faults, which is empty on success."""
    at = [0, count // 2, count - 1]
    which = np.zeros(count, np.uint32)
    which[at] = 1
    launch = Launch(**sizes, deadline=DEADLINE, order=False, timeout=20 * DEADLINE)
    result = run(device, [NEIGHBOUR, program], count, launch, program_of=which)
    status = np.asarray(result.status)
    names = {int(result.statuses[name]): name for name in result.statuses.__members__}
    others = np.delete(np.arange(count), at)
    expected = b"60 8.429\n"
    wrong = []
    if (status[others] != result.statuses["OK"]).any():
        wrong.append(f"{(status[others] != result.statuses['OK']).sum()} neighbours did not end OK")
    printed = [result.stdout[int(k)] for k in (*others[:200], *others[-200:])]
    printed += [group.text for group in result.stdout.groups if group.count > len(at)]
    if any(text != expected for text in printed):
        wrong.append("a neighbour printed something else")
    ends = sorted({names[int(code)] for code in status[at]})
    if not {*ends} <= {"OK", "EXCEPTION", "EXIT", "OUT_OF_TIME", "STATUS_OUT_OF_BOUNDS"}:
        wrong.append(f"it ended with {' '.join(ends)}")
    late = max(0.0, result.seconds - DEADLINE) if "OUT_OF_TIME" in ends else 0.0
    if late > LATE:
        wrong.append(f"it ended {late:.2f} s after its deadline")
    last = result.stderr[at[0]].strip().rpartition(b"\n")[2].decode(errors="replace")
    return {
        "ends": ends, "says": last[:80], "seconds": round(result.seconds, 3),
        "late": round(late, 3), "wrong": wrong,
    }  # fmt: skip


def main() -> int:
    """See above."""
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--target", default="cuda")
    parser.add_argument("--neighbours", type=int, default=10_000)
    parser.add_argument("--heap", type=parse_size)
    parser.add_argument("--only", default="", help="programs whose names begin so")
    options = parser.parse_args()
    device = open_device(options.build, options.target)
    sizes: dict[str, Any] = {"heap": options.heap}
    count = options.neighbours + 3
    run(device, [NEIGHBOUR], count, Launch(**sizes))  # warm-up: the cost of the first launch
    rows: dict[str, Any] = {}
    for name, program in programs(bool(device.built.config["bounds_checks"])):
        if not name.startswith(options.only):
            continue
        try:
            row = tried(device, program, count, sizes)
        except PorterError as error:  # the device may be lost
            row = {"wrong": [f"the launch ended: {error}"]}
            device.close()
            device = open_device(options.build, options.target)
        rows[name] = row
        print(f"{name:40} {row.get('seconds', '')} {row.get('ends', '')} {row['wrong'] or ''}")
    command = " ".join(["python tests/gpu/hostile.py", *sys.argv[1:]])
    report = {"command": command, "build": device.built.manifest["release"], "rows": rows}
    write_whole(options.results, json.dumps(report, indent=1) + "\n")
    failed = [name for name, row in rows.items() if row["wrong"]]
    latest = max((row.get("late", 0) for row in rows.values()), default=0)
    print(f"{len(rows)} programs, {len(failed)} of them wrong, the latest {latest} s late")
    return min(len(failed), 99)


if __name__ == "__main__":
    sys.exit(main())
