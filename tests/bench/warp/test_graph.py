"""Reconvergence points of control flow, loop by loop, and the parser of listings."""

from __future__ import annotations

import pytest

from porter.errors import BenchFailed
from porter_dev.bench.warp.control_flow import (
    EXIT,
    FlowLoop,
    code_of,
    listings,
    loops,
    one_round,
    postdominators,
    ranks,
)


def test_paths_meet_behind_an_if() -> None:
    graph = {0: [1, 2], 1: [3], 2: [3], 3: [EXIT]}
    assert postdominators(graph) == {0: 3, 1: 3, 2: 3, 3: EXIT}


def test_an_early_return_meets_at_the_exit_only() -> None:
    graph = {0: [1, EXIT], 1: [2], 2: [EXIT]}
    assert postdominators(graph)[0] == EXIT


def test_a_node_without_a_way_out_meets_nowhere() -> None:
    assert 1 not in postdominators({0: [1, EXIT], 1: []})


def test_loops_are_nested() -> None:
    # Block 1 begins a loop around the loop of 2 and 3.
    found = loops({0: [1], 1: [2, 5], 2: [3], 3: [2, 4], 4: [1], 5: []}, 0)
    [outer] = found.inner
    [inner] = outer.inner
    assert (found.head, outer.head, outer.nodes) == (EXIT, 1, {1, 2, 3, 4})
    assert (inner.head, inner.nodes, inner.inner) == (2, {2, 3}, ())


def test_who_leaves_a_loop_is_no_reason_to_part_the_others() -> None:
    graph = {0: [1], 1: [2, 3], 2: [4, 5], 3: [4], 4: [0], 5: [EXIT]}
    assert postdominators(graph)[1] != 4
    [loop] = loops({node: [to for to in ways if to >= 0] for node, ways in graph.items()}, 0).inner
    assert isinstance(loop, FlowLoop)
    assert postdominators(one_round(graph, loop))[1] == 4


def test_a_loop_comes_before_what_follows_it_and_its_head_last() -> None:
    rank = ranks({0: [1], 1: [2, 4], 2: [3], 3: [1], 4: []}, 0)
    assert sorted(rank, key=lambda node: rank[node]) == [0, 2, 3, 1, 4]


LISTING = """
0000000000001000 <first>:
    1000:\tpush   %rbp
    1001:\tcall   9000 <__sanitizer_cov_trace_pc@plt>
    1006:\tmov    %rax,%rbx
    1009:\tje     1010 <first+0x10>
    100b:\tcall   9000 <__sanitizer_cov_trace_pc@plt>
    1010:\tcall   1000 <first>
    1015:\tret

0000000000002000 <silent>:
    2000:\tret

0000000000003000 <second>:
    3000:\tcall   9000 <__sanitizer_cov_trace_pc>
    3005:\tret
"""


def test_blocks_are_what_reports() -> None:
    code = code_of(listings(LISTING))
    assert code.names == ("first", "second")
    assert code.place.tolist() == [0x1006, 0x1010, 0x3005]
    assert code.weight.tolist() == [2, 2, 1]
    assert code.entry.tolist() == [1, 0, 1]
    assert code.alone.tolist() == [1, 1, 0]
    assert code.numbers()[0x1010] == 1
    assert code.numbers()[7] == 2**32 - 1


def test_a_library_that_does_not_report_is_refused() -> None:
    with pytest.raises(BenchFailed, match="traced"):
        code_of(listings("0000000000002000 <silent>:\n    2000:\tret\n"))
