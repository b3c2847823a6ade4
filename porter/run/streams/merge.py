"""Grouping identical rows: where the rows are, so that only distinct ones travel."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen

from porter.run.device.base import Array

_CHUNK = 1 << 16  # rows compared at a time
_SEEDS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5)
_MASK = (1 << 64) - 1


@frozen(eq=False)
class Rows:
    """Groups of equal rows: each group's example row, its count, and each row's group.

    example, count: one per group (numpy, int64). group_of: one per row, where the rows are.
    """

    example: np.ndarray[Any, Any]
    count: np.ndarray[Any, Any]
    group_of: Array


def _hash(words: Array, lengths: Array, seed: int, xp: Any) -> Array:
    """A 64-bit hash per row: multiply and fold, word by word."""
    value = lengths.astype(xp.uint64) * xp.uint64(seed)
    factor = xp.uint64(seed * 0x9FB21C651E98DF25 & _MASK | 1)
    shift = xp.uint64(32)
    for column in range(words.shape[1]):
        value ^= words[:, column]
        value *= factor
        value ^= value >> shift
    return value


def _exact(words: Array, lengths: Array, example_of: Array, xp: Any) -> bool:
    """Whether every row equals its group's example, so that no two texts share a hash."""
    if not bool((lengths == lengths[example_of]).all()):
        return False
    return all(
        bool((words[at : at + _CHUNK] == words[example_of[at : at + _CHUNK]]).all())
        for at in range(0, len(words), _CHUNK)
    )


def group_rows(words: Array, lengths: Array, xp: Any = np) -> Rows:
    """Group the rows of `words` (n x columns, uint64) that are equal, `lengths` (n) included.

    Exact: hashes only propose groups, and a collision means another seed. `xp` is the arrays'
    module. No loop runs over rows.
    """
    for seed in _SEEDS:
        hashes = _hash(words, lengths, seed, xp)
        _, example, group_of, count = xp.unique(
            hashes, return_index=True, return_inverse=True, return_counts=True
        )
        group_of = group_of.reshape(-1)
        if _exact(words, lengths, example[group_of], xp):
            to_host = np.asarray if xp is np else xp.asnumpy
            return Rows(
                to_host(example).astype(np.int64), to_host(count).astype(np.int64), group_of
            )
    raise AssertionError("four hashes collided on the same rows")
