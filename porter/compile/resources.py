"""Registers, stack and spills, as ptxas and nvlink report them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from attrs import frozen

_FUNCTION = re.compile(r"Function properties for '?(\S+?)'?\s*:?$")
_FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_LINKED = re.compile(r"used (\d+) registers, .*?(\d+) stack, (\d+) bytes smem", re.IGNORECASE)


@frozen
class Frame:
    """One device function's frame and spills, bytes."""

    function: str
    stack: int
    spill_stores: int
    spill_loads: int


@frozen
class Kernel:
    """One kernel of the linked cubin: registers a thread, its own stack in bytes."""

    name: str
    registers: int
    stack: int


def parse_frames(text: str) -> list[Frame]:
    """The frames in a `ptxas -v` report."""
    frames: list[Frame] = []
    name = ""
    for line in text.splitlines():
        if match := _FUNCTION.search(line):
            name = match.group(1)
        elif (match := _FRAME.search(line)) and name:
            stack, stores, loads = map(int, match.groups())
            frames.append(Frame(name, stack, stores, loads))
            name = ""
    return frames


def parse_kernels(text: str) -> list[Kernel]:
    """The kernels in an `nvlink -v` report."""
    kernels: list[Kernel] = []
    name = ""
    for line in text.splitlines():
        if match := _FUNCTION.search(line):
            name = match.group(1)
        elif (match := _LINKED.search(line)) and name:
            kernels.append(Kernel(name, int(match.group(1)), int(match.group(2))))
            name = ""
    return kernels


def summary(unit_logs: Iterable[Path], link_log: Path, largest: int = 10) -> dict[str, object]:
    """For `build.json`: kernels, sums over all functions, and the largest frames."""
    frames = [frame for log in unit_logs for frame in parse_frames(log.read_text())]
    kernels = parse_kernels(link_log.read_text())
    frames.sort(key=lambda frame: (-frame.stack, frame.function))
    return {
        "functions": len(frames),
        "spill_stores": sum(frame.spill_stores for frame in frames),
        "spill_loads": sum(frame.spill_loads for frame in frames),
        "largest_frames": {frame.function: frame.stack for frame in frames[:largest]},
        "kernels": {k.name: {"registers": k.registers, "stack": k.stack} for k in kernels},
    }
