"""Times interpreters whose warp has neighbours that never end, against the same without these.

    python benchmarks/neighbours.py BUILD [-n 65536] [--json FILE]

One lane of each warp does what its row says, for ever; without, it ends at once. The other lanes
count words, each its own, and print how many microseconds that took by the device's clock. What is
shown is the median of these, in milliseconds.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from porter.base.files import write_whole
from porter.run import Device, Launch, open_device, run

ENDLESS = {
    "a loop": "while True:\n    len(str(threadIdx))\n",
    "a loop in calls": "def f(n):\n    while n == 0:\n        len(str(n))\n    f(n - 1)\nf(20)\n",
    "a generator": "def g():\n    while True:\n        yield str(threadIdx)\n"
    "for x in g():\n    len(x)\n",
    "C that calls back": "class A:\n    def __iter__(self):\n        return self\n"
    "    def __next__(self):\n        return len(str(threadIdx))\nany(x < 0 for x in A())\n",
    "exceptions": "while True:\n    try:\n        [][threadIdx]\n"
    "    except IndexError:\n        pass\n",
    "a loop without calls": "x = 0\nwhile True:\n    x = x * 3 & 1023\n",
    "long work in C": "while True:\n    sorted(range(2000), reverse=True)\n",
}
WORK = """
import time
def work():
    count = {}
    for i in range(300):
        key = str(i * (threadIdx + 7) % 37)
        count[key] = count.get(key, 0) + (1 if i % (threadIdx % 5 + 2) else 2)
    return count
def main():
    begun = time.ticks_us()
    work()
    print(time.ticks_diff(time.ticks_us(), begun))
"""
LANE = 5
LIMIT = 1.0  # seconds; who does not end counts with them


def milliseconds(device: Device, endless: str, n: int) -> float:
    """The median of what the other interpreters took."""
    branch = "".join(f"    {line}\n" for line in endless.splitlines())
    source = f"{WORK}\nif threadIdx % 32 == {LANE}:\n{branch}else:\n    main()\n"
    result = run(device, [source], n, Launch(deadline=LIMIT))
    others = [int(result.stdout[i] or 1e6 * LIMIT) for i in range(n) if i % 32 != LANE]
    return float(np.median(others)) / 1000


def main() -> None:
    """See above."""
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("-n", type=int, default=65536)
    parser.add_argument("--target", default="cuda")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    device = open_device(options.build, options.target)
    milliseconds(device, "pass", options.n)
    rows = {"none": milliseconds(device, "pass", options.n)}
    for name, endless in ENDLESS.items():
        rows[name] = milliseconds(device, endless, options.n)
    for name, found in rows.items():
        print(f"{name:22} {found:9.1f} ms  {found / rows['none']:6.2f} x", flush=True)
    if options.json:
        write_whole(options.json, json.dumps(rows, indent=1) + "\n", parents=True)
    device.close()


if __name__ == "__main__":
    main()
