"""Group identical rows on their device, so that only distinct rows are copied to the host."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen

from porter.run.device.base import Array, Device, Operations
from porter.run.device.operations import NumpyOperations

CHUNK = 64 << 20  # bytes of rows that are gathered per copy to the host


@frozen(eq=False)
class Rows:
    """Groups of equal rows, in the order of their first rows (numpy, int64).

    Attributes:
        example: The first row of each group.
        count: The number of rows of each group.
        first: For each row the first row equal to it.
    """

    example: np.ndarray[Any, Any]
    count: np.ndarray[Any, Any]
    first: np.ndarray[Any, Any]

    @property
    def group_of(self) -> np.ndarray[Any, Any]:
        """The group of each row (int64)."""
        numbers = np.zeros(len(self.first), np.int64)
        numbers[self.example] = np.arange(len(self.example))
        found: np.ndarray[Any, Any] = numbers[self.first]
        return found


def group_rows(
    words: Array,
    lengths: Array,
    operations: Operations | None = None,
    *,
    columns: int | None = None,
) -> Rows:
    """Group equal rows.

    Args:
        words: Rows (n x k uint64).
        lengths: Equal rows have equal lengths too (n uint32).
        operations: Operations of the arrays' device; None: NumPy's.
        columns: Number of words of a row to compare; None: all.
    """
    operations = operations or NumpyOperations()
    first = operations.first_equal(words, words.shape[1] if columns is None else columns, lengths)
    counts = np.bincount(first, minlength=len(first))
    example = np.flatnonzero(counts)
    return Rows(example, counts[example], first)


def rows_here(
    device: Device, words: Array, which: np.ndarray[Any, Any], columns: int | None = None
) -> np.ndarray[Any, Any]:
    """Copy rows `which` of `words` (n x k uint64) to the host: len(which) x 8 * columns bytes."""
    columns = words.shape[1] if columns is None else columns
    here = np.empty((len(which), 8 * columns), np.uint8)
    if columns:
        step = max(1, CHUNK // (8 * columns))
        for at in range(0, len(which), step):
            part = device.operations.rows(words, columns, which[at : at + step])
            here[at : at + step] = device.host(part).view(np.uint8)
    return here
