"""Array operations of a device with host memory (base.Operations), by NumPy."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from porter.run.device.base import Array, MemberDevice, Operations

_CHUNK = 1 << 16  # rows compared at a time
_SEEDS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5)
_MASK = (1 << 64) - 1


class NumpyOperations:
    """Operations on arrays in host memory."""

    def first_equal(
        self, words: Array, columns: int, lengths: Array
    ) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Group rows by a vectorized hash, then verify equality.

        A collision leads to a retry with another seed.
        """
        used = words[:, :columns]
        for seed in _SEEDS:
            _, example, group = np.unique(
                _hash(used, lengths, seed), return_index=True, return_inverse=True
            )
            first: np.ndarray[Any, Any] = example[group.reshape(-1)]
            if _exact(used, lengths, first):
                return first.astype(np.int64)
        raise AssertionError("four hashes collided on the same rows")

    def rows(
        self, words: Array, columns: int | None = None, which: np.ndarray[Any, Any] | None = None
    ) -> Array:
        """Copy by fancy indexing."""
        return np.array(words[slice(None) if which is None else which, :columns], order="C")

    def repeated(self, values: np.ndarray[Any, Any], n: int) -> Array:
        """Copy by numpy.tile."""
        return np.tile(values, n)


def _hash(words: Array, lengths: Array, seed: int) -> Array:
    """Return a 64-bit hash per row: multiply and fold, word by word."""
    value = lengths.astype(np.uint64) * np.uint64(seed)
    factor = np.uint64(seed * 0x9FB21C651E98DF25 & _MASK | 1)
    for column in range(words.shape[1]):
        value ^= words[:, column]
        value *= factor
        value ^= value >> np.uint64(32)
    return value


def _exact(words: Array, lengths: Array, first: Array) -> bool:
    """Return whether each row equals the first row of its group, that is, no hashes collided."""
    if not bool((lengths == lengths[first]).all()):
        return False
    return all(
        bool((words[at : at + _CHUNK] == words[first[at : at + _CHUNK]]).all())
        for at in range(0, len(words), _CHUNK)
    )


class HostArrays:
    """The part of a Device that makes and reads arrays, by NumPy."""

    xp: Any = np
    on_gpu = False
    members: tuple[MemberDevice, ...] = ()
    operations: Operations = NumpyOperations()

    def here(self) -> AbstractContextManager[object]:
        """Return a context manager that does nothing, because there is no current device."""
        return nullcontext()

    def apart(self) -> AbstractContextManager[object]:
        """Return a context manager that does nothing, because copies end at once."""
        return nullcontext()

    def finish(self) -> None:
        """Do nothing, because copies end at once."""

    def array(self, values: np.ndarray[Any, Any]) -> Array:
        """Return a contiguous copy of `values`."""
        return np.array(values, order="C")

    def zeros(self, shape: int | tuple[int, ...], dtype: Any) -> Array:
        """Allocate zeroed memory; pages take memory once they are touched."""
        return np.zeros(shape, dtype)

    def address(self, array: Array) -> int:
        """Return the address of `array`."""
        address: int = array.ctypes.data
        return address

    def host(self, array: Array) -> np.ndarray[Any, Any]:
        """Return `array` itself."""
        view: np.ndarray[Any, Any] = array
        return view

    def local_value(self, value: object) -> object:
        """Return `value`."""
        return value
