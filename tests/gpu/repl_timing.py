"""Measure the REPL's time from Enter to the last banner, and its memory.

    python tests/gpu/repl_timing.py BUILD OUT.json [-n 1048576] [--target cuda] [--repeat 5]

Enters statements at a shell whose output is discarded. Measures the check for completeness, the
launch, merging the outputs on the device, fetching the distinct outputs, and writing them. Reports
medians in seconds. Has the requirements of a run, and does not need prompt_toolkit.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from rich.console import Console

from porter.repl import Session, Shell
from porter.repl.shell import feed
from porter.run import Device, open_device

# The input, the number of groups to show (None: all), and the number of groups.
CASES: dict[str, tuple[str, int | None, Any]] = {
    "numThreads": ("numThreads", 20, lambda n: 1),
    "threadIdx % 3": ("threadIdx % 3", 20, lambda n: min(n, 3)),
    "threadIdx, 20 groups shown": ("threadIdx", 20, lambda n: n),
    "threadIdx, all groups shown": ("threadIdx", None, lambda n: n),
    "silent": ("x = threadIdx", 20, lambda n: 1),
}


def memory(device: Device) -> int:
    """Return the bytes of device memory in use."""
    if device.name != "cuda":
        return 0
    device.xp.get_default_memory_pool().free_all_blocks()
    free, total = device.xp.cuda.runtime.memGetInfo()
    return int(total - free)


def entered(shell: Shell, source: str) -> float:
    """Return the seconds from Enter to the last banner."""
    start = time.perf_counter()
    feed(shell, [source])
    return time.perf_counter() - start


def case(shell: Shell, source: str, groups: int, repeat: int) -> dict[str, Any]:
    """Return medians for one input, after one warm-up run."""
    entered(shell, source)
    whole, launch, merge = [], [], []
    for _ in range(repeat):
        whole.append(entered(shell, source))
        launch.append(shell.times.device)
        merge.append(shell.times.merge)
    shown = shell.session.execute(source + "\n").outputs[0].groups
    assert len(shown) == groups and not shell.failed, (source, len(shown), groups)
    return {
        "enter_to_last_banner": statistics.median(whole),
        "launch": statistics.median(launch),
        "merge": statistics.median(merge),
        "groups": groups,
        "all": whole,
    }


def questions(shell: Shell, repeat: int) -> dict[str, float]:
    """Return the median times of the prompt's questions: is a line complete, which names complete
    it.
    """
    prompter = shell.prompter
    asked = {"continues": prompter.continues, "complete": prompter.complete}
    seconds = {}
    for name, ask in asked.items():
        times = []
        for _ in range(repeat + 1):
            start = time.perf_counter()
            ask("threadI")
            times.append(time.perf_counter() - start)
        seconds[name] = statistics.median(times[1:])
    return seconds


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("-n", type=int, default=1 << 20)
    parser.add_argument("--target", default="cuda")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    device = open_device(options.build, options.target)
    before = memory(device)
    start = time.perf_counter()
    session = Session.open(device, options.n)
    opened = time.perf_counter() - start
    results: dict[str, Any] = {
        "command": " ".join(sys.argv),
        "interpreters": options.n,
        "open_seconds": opened,
        "bytes_each": session.bytes_each,
        "device_bytes_between_inputs": memory(device) - before,
    }
    with open(os.devnull, "w") as nowhere:
        out = Console(file=nowhere, force_terminal=True, color_system="256", width=100)
        shell = Shell(session, out, out)
        for name, (source, shown, groups) in CASES.items():
            shell.max_groups = shown
            results[name] = case(shell, source, groups(options.n), options.repeat)
            print(name, json.dumps(results[name]), flush=True)
        results["questions"] = questions(shell, options.repeat)
    beside = options.out.with_name(options.out.name + ".part")
    beside.write_text(json.dumps(results, indent=1) + "\n")
    os.replace(beside, options.out)
    print(json.dumps({k: v for k, v in results.items() if k not in CASES}, indent=1))


if __name__ == "__main__":
    main()
