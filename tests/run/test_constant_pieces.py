"""Addresses of the constants of a bounds-checked module, which a driver has divided."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from porter.run.device.bounds_checks import NEAR, pieces

PLACED = st.lists(st.tuples(st.integers(1, 1 << 24), st.integers(1, 5000)), min_size=1)


def test_what_lies_near_is_one_piece_and_the_largest_comes_first() -> None:
    far = 1 << 30
    found = [(4096, 16), (far + 256, 64), (far, 80), (far + 512, 8)]
    assert pieces(np.array(found, np.uint64), 5) == [(far, 520), (4096, 16)]


def test_too_many_pieces_are_joined_where_least_is_between_them() -> None:
    found = [(1 << 20, 8), (1 << 21, 8), (1 << 30, 90), ((1 << 30) + (1 << 19), 9), (1 << 40, 70)]
    joined = pieces(np.array(found, np.uint64), 3)
    assert joined == [(1 << 30, (1 << 19) + 9), (1 << 40, 70), (1 << 20, (1 << 20) + 8)]


@given(PLACED, st.integers(1, 5))
def test_every_object_is_in_a_piece(placed: list[tuple[int, int]], most: int) -> None:
    found = pieces(np.array(placed, np.uint64), most)
    assert 1 <= len(found) <= most
    for address, size in placed:
        assert any(low <= address and address + size <= low + held for low, held in found)
    bounds = sorted((low, low + size) for low, size in found)
    assert all(end + NEAR < low for (_, end), (low, _) in pairwise(bounds))
