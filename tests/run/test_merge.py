"""Grouping of outputs, and how groups are printed."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from porter.run.streams.display import render
from porter.run.streams.groups import Groups, group_rows


def _groups(outputs: list[bytes], width: int = 16) -> Groups:
    rows = np.zeros((len(outputs), width), np.uint8)
    for row, text in zip(rows, outputs, strict=True):
        row[: len(text)] = np.frombuffer(text, np.uint8)
    lengths = np.array([len(text) for text in outputs], np.uint32)
    grouped = group_rows(rows.view(np.uint64), lengths)
    return Groups(rows[grouped.example], lengths[grouped.example], grouped)


@given(st.lists(st.binary(max_size=16).filter(lambda b: not b.endswith(b"\0")), min_size=1))
def test_groups_are_the_multiset_of_outputs(outputs: list[bytes]) -> None:
    groups = _groups(outputs)
    assert Counter({group.text: group.count for group in groups}) == Counter(outputs)
    keys = [(-group.count, group.text) for group in groups]
    assert keys == sorted(keys)
    assert all(outputs[group.example] == group.text for group in groups)


def test_groups_one_by_one_and_all_in_turn_are_the_same() -> None:
    rows = np.array([f"{i:07}\n".encode() for i in range(10_000)], "S8").view(np.uint8)
    lengths = np.arange(10_000, dtype=np.uint32) % 20  # some empty, some longer than was kept
    grouped = group_rows(rows.view(np.uint64).reshape(-1, 1), lengths)
    groups = Groups(rows.reshape(-1, 8)[grouped.example], lengths[grouped.example], grouped)
    assert list(groups) == groups[:] and len(groups[:]) == 10_000
    assert {len(group.text) for group in groups} == set(range(9))
    assert sum(group.cut for group in groups) == 5_500


def test_trailing_zero_bytes_are_not_lost() -> None:
    assert sorted(group.text for group in _groups([b"a", b"a\0"])) == [b"a", b"a\0"]


def test_banners_as_in_the_paper() -> None:
    outputs = [b"1\n", b"0\n", b"2\n", b"0\n"]
    lines = b"".join(line.text for line in render(_groups(outputs)))
    assert lines == b"----- 2x -----\n0\n----- 1x -----\n1\n----- 1x -----\n2\n"


def test_no_banner_when_all_agree() -> None:
    assert [line.text for line in render(_groups([b"x\n"] * 3))] == [b"x\n"]


def test_limit_on_groups_says_how_many_are_left() -> None:
    lines = [line.text for line in render(_groups([b"a", b"b", b"c"]), max_groups=1)]
    assert lines[-1] == b"----- 2 more different outputs -----\n"
    lines = [line.text for line in render(_groups([b"a", b"b", b"b", b"c"]), max_groups=1, n=4)]
    assert lines[-1] == b"----- 2 more different outputs of 2 interpreters -----\n"
    silent = _groups([b"", b"", b"a", b"b"])
    lines = [line.text for line in render(silent, max_groups=1, skip_empty=True, n=4)]
    assert lines[-1] == b"----- 1 more different output of 1 interpreter -----\n"
