"""Write the address ranges that bounds checks of a device build compare with.

The checks are in templates/runtime/fences.cu. Their ranges are known only after loading: the
module's constants, and the size of local memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import define, field

from porter.manifest import DeviceOutput
from porter.run.built import Built

WINDOW = 1 << 24  # PORTER_LOCAL_WINDOW of porter_runtime.h
MARGIN = 128  # maximum bytes per check: MOST of porter/compile/bounds_checks/coverage.py
HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2  # cudaMemcpyKind
OTHERS = 4  # further ranges of constants that kernels may read: porter_fence_pieces of fences.cu
GRAIN = 16  # bytes; the range of constants begins at a multiple of it
NEAR = 1 << 16  # bytes; objects at most this far apart belong to one range


def pieces(objects: np.ndarray[Any, Any], most: int) -> list[tuple[int, int]]:
    """Cover `objects` with at most `most` address ranges, as (address, bytes).

    The range with the most bytes of objects comes first. Excess ranges are merged across the
    smallest gaps.

    Args:
        objects: Address and bytes of each object (k x 2 uint64).
        most: Maximum number of ranges.
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
class BoundsChecks:
    """Writes the constant memory of a loaded module that bounds checks read.

    Attributes:
        cupy: The CuPy module.
        module: The loaded module.
    """

    cupy: Any
    module: Any
    _local: int = field(default=0, init=False)  # bytes of local memory that the checks allow

    def constants(self, tables: Mapping[str, int]) -> None:
        """Find the build's constants, and write their address ranges.

        The driver places constants among the module's other variables, in few ranges. A check
        compares with the range that holds most; the others are allowed per launch.

        Args:
            tables: Variables that list a compilation unit's constants, with their bytes.
        """
        found = np.concatenate([self._read(*table) for table in tables.items()])
        (start, size), *others = pieces(found, 1 + OTHERS)
        size += start % GRAIN
        spans = [max(0, size - MARGIN) >> shift for shift in range(5)]
        most = np.array([start - start % GRAIN, size, 0, 0, 0], np.uint64)
        most[2:].view(np.uint32)[:5] = spans
        self._write("porter_fence_constants", most)
        none = [(0, 0)] * (OTHERS - len(others))
        self._write("porter_fence_pieces", np.array([*others, *none], np.uint64))

    def local(self, size: int) -> None:
        """Write the local memory limit of `size` bytes per thread.

        Launches in progress have less local memory.
        """
        used = size & ~15
        if used != self._local:
            spans = [(used - MARGIN) >> shift for shift in range(5)]
            self._write("porter_fence_window", np.array([WINDOW - used, *spans], np.uint32))
            self._local = used

    def _read(self, name: str, size: int) -> np.ndarray[Any, Any]:
        """Read a variable of `size` bytes: an array of pairs of uint64."""
        values = np.empty((size // 16, 2), np.uint64)
        at = int(self.module.get_global(name).ptr)
        self.cupy.cuda.runtime.memcpy(values.ctypes.data, at, size, DEVICE_TO_HOST)
        return values

    def _write(self, name: str, values: np.ndarray[Any, Any]) -> None:
        to = int(self.module.get_global(name).ptr)
        self.cupy.cuda.runtime.memcpy(to, values.ctypes.data, values.nbytes, HOST_TO_DEVICE)


def bounds_checks_of(cupy: Any, module: Any, built: Built) -> BoundsChecks | None:
    """Set up the bounds checks of a just-loaded module; return None for a build without them."""
    output = built.whole.targets["cuda"]
    if not built.bounds_checks or not isinstance(output, DeviceOutput):
        return None
    checks = BoundsChecks(cupy, module)
    code, *_ = output.machine.values()  # the tables are those of the PTX, so all have the same
    checks.constants(code.constants)
    runtime = cupy.cuda.runtime
    checks.local(int(runtime.deviceGetLimit(runtime.cudaLimitStackSize)))
    return checks
