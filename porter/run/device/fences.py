"""What the checks of a fenced device build compare with (templates/runtime/fences.cu)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import define, field

from porter.manifest import DeviceOutput
from porter.run.built import Built

WINDOW = 1 << 24  # PORTER_LOCAL_WINDOW of porter_runtime.h
MARGIN = 128  # the most bytes that one check covers: MOST of porter/compile/fencing/coverage.py
HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2  # cudaMemcpyKind
OTHERS = 4  # pieces of constants that a launch may lend: porter_fence_pieces of fences.cu
NEAR = 1 << 16  # bytes: what lies as near is of one piece


def pieces(objects: np.ndarray[Any, Any], most: int) -> list[tuple[int, int]]:
    """At most so many pieces of memory, as (address, bytes), that hold all of `objects`.

    objects: rows of uint64, an address and bytes each. The piece that holds most comes first. Where
    they are too many, those with the least between them become one.
    """
    found: list[list[int]] = []  # address, end, and bytes of objects
    for address, size in sorted((int(a), int(s)) for a, s in objects):
        if found and address <= found[-1][1] + NEAR:
            found[-1][1] = max(found[-1][1], address + size)
            found[-1][2] += size
        else:
            found.append([address, address + size, size])
    while len(found) > most:
        at = min(range(1, len(found)), key=lambda k: found[k][0] - found[k - 1][1])
        found[at - 1][1:] = [found[at][1], found[at - 1][2] + found[at][2]]
        del found[at]
    found.sort(key=lambda piece: -piece[2])
    return [(start, end - start) for start, end, _ in found]


@define
class Fences:
    """Writes the constant memory of a module that was loaded. cupy: CuPy."""

    cupy: Any
    module: Any
    _local: int = field(default=0, init=False)  # bytes of local memory that checks know of

    def constants(self, tables: Mapping[str, int]) -> None:
        """Finds the build's constants by `tables`: variables that list a unit's, and their bytes.

        A driver puts each where it likes, among the module's other variables and in few pieces. A
        check knows the piece that holds most; a launch lends the others.
        """
        found = np.concatenate([self._read(*table) for table in tables.items()])
        most, *others = pieces(found, 1 + OTHERS)
        self._write("porter_fence_constants", np.array(most, np.uint64))
        none = [(0, 0)] * (OTHERS - len(others))
        self._write("porter_fence_pieces", np.array([*others, *none], np.uint64))

    def local(self, size: int) -> None:
        """Threads have `size` bytes of local memory by now; launches under way have less."""
        used = size & ~15
        if used != self._local:
            spans = [(used - MARGIN) >> shift for shift in range(5)]
            self._write("porter_fence_window", np.array([WINDOW - used, *spans], np.uint32))
            self._local = used

    def _read(self, name: str, size: int) -> np.ndarray[Any, Any]:
        """A variable of `size` bytes that is an array of pairs of uint64."""
        values = np.empty((size // 16, 2), np.uint64)
        at = int(self.module.get_global(name).ptr)
        self.cupy.cuda.runtime.memcpy(values.ctypes.data, at, size, DEVICE_TO_HOST)
        return values

    def _write(self, name: str, values: np.ndarray[Any, Any]) -> None:
        to = int(self.module.get_global(name).ptr)
        self.cupy.cuda.runtime.memcpy(to, values.ctypes.data, values.nbytes, HOST_TO_DEVICE)


def fences_of(cupy: Any, module: Any, built: Built) -> Fences | None:
    """The fences of a module that was just loaded, written; None where the build has none."""
    output = built.whole.targets["cuda"]
    if not built.config.get("fences") or not isinstance(output, DeviceOutput):
        return None
    fences = Fences(cupy, module)
    (code,) = output.machine.values()  # a build with fences is for one architecture
    fences.constants(code.constants)
    runtime = cupy.cuda.runtime
    fences.local(int(runtime.deviceGetLimit(runtime.cudaLimitStackSize)))
    return fences
