"""Array operations on a GPU, by kernels that each build contains (templates/runtime/arrays.cu).

CuPy provides memory and copies only, so that it compiles no kernels.
"""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

import numpy as np

from porter.errors import LaunchFailed
from porter.run.device.base import Array

BLOCK = 256  # threads
NAMES = (
    "gpusnek_rows_find",
    "gpusnek_rows_first",
    "gpusnek_rows_copy",
    "gpusnek_snapshots_copy",
    "gpusnek_snapshots_common",
    "gpusnek_snapshots_merge",
    "gpusnek_snapshots_compare",
    "gpusnek_snapshots_based",
    "gpusnek_snapshots_owners",
    "gpusnek_snapshots_move",
)


class KernelOperations:
    """Operations on arrays of a GPU, by the kernels of a loaded module.

    Work goes to CuPy's current stream. The constructor raises LaunchFailed where the build lacks
    the kernels.
    """

    def __init__(self, cupy: Any, module: Any, cubin: Path) -> None:
        self._cupy = cupy
        try:
            self._kernels = {name: module.get_function(name) for name in NAMES}
            for kernel in self._kernels.values():
                int(kernel.max_threads_per_block)  # CuPy resolves a kernel at its first use
        except cupy.cuda.driver.CUDADriverError as error:
            raise LaunchFailed(
                f"{cubin}: another version of porter made this build: {error}",
                hint="Build again, with `porter build --target cuda`.",
            ) from error

    def first_equal(
        self, words: Array, columns: int, lengths: Array
    ) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Insert rows into a hash table, and compare rows of one slot word by word."""
        n, slots = len(words), 2 * len(words)
        if not n:
            return np.zeros(0, np.int64)
        table, found = self._cupy.zeros(slots, np.uint32), self._cupy.empty(n, np.uint32)
        key = secrets.randbits(64) | 1
        rows = (_at(words), words.shape[1], columns, _at(lengths))
        self.run("gpusnek_rows_find", n, *rows, n, key, _at(table), slots, _at(found))
        self.run("gpusnek_rows_first", n, _at(found), n, _at(table))
        return np.asarray(self._cupy.asnumpy(found), np.int64)

    def rows(
        self, words: Array, columns: int | None = None, which: np.ndarray[Any, Any] | None = None
    ) -> Array:
        """Copy with one thread per word."""
        stride = words.shape[1]
        columns = stride if columns is None else columns
        count = len(words) if which is None else len(which)
        return self._copied(_at(words), (count, columns), (stride, 1), which)

    def repeated(self, values: np.ndarray[Any, Any], n: int) -> Array:
        """Fill by doubling: copy the filled part behind itself until the buffer is full."""
        size, total = values.nbytes, values.nbytes * n
        copies = self._cupy.empty(len(values) * n, values.dtype)
        if total:
            self._move(copies, self._cupy.asarray(values), 0, size)
        while 0 < size < total:
            self._move(copies, copies, size, min(size, total - size))
            size *= 2
        return copies

    def _copied(
        self,
        source: int,
        shape: tuple[int, int],
        strides: tuple[int, int],
        which: np.ndarray[Any, Any] | None = None,
    ) -> Array:
        to = self._cupy.empty(shape, np.uint64)
        chosen = None if which is None else self._cupy.asarray(which.astype(np.uint32))
        at = 0 if chosen is None else _at(chosen)
        if to.size:
            self.run("gpusnek_rows_copy", to.size, _at(to), to.size, shape[1], source, *strides, at)
        return to

    def _move(self, to: Array, source: Array, start: int, size: int) -> None:
        """Copy `size` bytes of `source` to byte `start` of `to`."""
        if size:
            (to.data + start).copy_from_device_async(source.data, size)

    def run(self, name: str, threads: int, *arguments: int) -> None:
        """Start kernel `name` on at least `threads` threads. Each argument is 64 bits wide."""
        grid = (-(-threads // BLOCK),)
        self._kernels[name](grid, (BLOCK,), tuple(map(np.uint64, arguments)))


def _at(array: Array) -> int:
    return int(array.data.ptr)
