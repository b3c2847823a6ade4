"""Grouping identical rows: where the rows are, so that only distinct ones travel."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen

from porter.run.device.base import Array, Device, Operations
from porter.run.device.operations import NumpyOperations

CHUNK = 64 << 20  # bytes of rows that are copied together before they travel


@frozen(eq=False)
class Rows:
    """Groups of equal rows, in the order of their first rows (numpy, int64).

    example, count: of each group its first row, and how many rows it has. first: of each row the
    first one that is equal to it.
    """

    example: np.ndarray[Any, Any]
    count: np.ndarray[Any, Any]
    first: np.ndarray[Any, Any]

    @property
    def group_of(self) -> np.ndarray[Any, Any]:
        """Each row's group (int64)."""
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
    """Group the rows of `words` (n x k, uint64) that are equal, `lengths` (n uint32) included.

    operations: of the device that has these arrays; None: they are NumPy's. columns: words of a row
    that count, by default all.
    """
    operations = operations or NumpyOperations()
    first = operations.first_equal(words, words.shape[1] if columns is None else columns, lengths)
    counts = np.bincount(first, minlength=len(first))
    example = np.flatnonzero(counts)
    return Rows(example, counts[example], first)


def rows_here(
    device: Device, words: Array, which: np.ndarray[Any, Any], columns: int | None = None
) -> np.ndarray[Any, Any]:
    """Rows `which` of `words` (n x k, uint64) on the host, as bytes: len(which) x 8 * columns."""
    columns = words.shape[1] if columns is None else columns
    here = np.empty((len(which), 8 * columns), np.uint8)
    if columns:
        step = max(1, CHUNK // (8 * columns))
        for at in range(0, len(which), step):
            part = device.operations.rows(words, columns, which[at : at + step])
            here[at : at + step] = device.host(part).view(np.uint8)
    return here
