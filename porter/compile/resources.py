"""Parse registers, stack and spills from the reports of ptxas and nvlink, for `build.json`.

The reports are text. A cubin has no record of spills, and records frames and registers only in an
undocumented section (.nv.info).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from attrs import frozen

from porter.manifest import DeviceResources, KernelResources

_FUNCTION = re.compile(r"Function properties for '?(\S+?)'?\s*:?$")
_FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_LINKED = re.compile(r"used (\d+) registers, .*?(\d+) stack, (\d+) bytes smem", re.IGNORECASE)


@frozen
class Frame:
    """The stack frame and spills of one device function, in bytes."""

    function: str
    stack: int
    spill_stores: int
    spill_loads: int


def parse_frames(text: str) -> list[Frame]:
    """Return the frames in a `ptxas -v` report."""
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


def parse_kernels(text: str) -> dict[str, KernelResources]:
    """Return the kernels in an `nvlink -v` report, by name."""
    kernels: dict[str, KernelResources] = {}
    name = ""
    for line in text.splitlines():
        if match := _FUNCTION.search(line):
            name = match.group(1)
        elif (match := _LINKED.search(line)) and name:
            kernels[name] = KernelResources(int(match.group(1)), int(match.group(2)))
            name = ""
    return kernels


def summary(unit_logs: Iterable[Path], link_log: Path, largest: int = 10) -> DeviceResources:
    """Return kernels, sums over all functions, and the `largest` frames."""
    frames = [frame for log in unit_logs for frame in parse_frames(log.read_text())]
    frames.sort(key=lambda frame: (-frame.stack, frame.function))
    return DeviceResources(
        functions=len(frames),
        spill_stores=sum(frame.spill_stores for frame in frames),
        spill_loads=sum(frame.spill_loads for frame in frames),
        largest_frames={frame.function: frame.stack for frame in frames[:largest]},
        kernels=parse_kernels(link_log.read_text()),
    )
