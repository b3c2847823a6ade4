"""The warp models on hand-made lanes: issued instructions, and points of divergence."""

from __future__ import annotations

import attrs
import numpy as np

from porter_dev.bench.warp.control_flow import WarpCode
from porter_dev.bench.warp.record import Recording
from porter_dev.bench.warp.simulation import BARRIERS, SWITCH, Regrouping, Simulated, Walk
from porter_dev.bench.warp.warp_report import by_function

VM, OTHER = 0, 1  # functions; blocks 0 to 9 are the VM's, 10 to 19 the other's
SITE = 500  # where a call returns to


def code(alone: bool = False) -> WarpCode:
    """Return twenty blocks of one instruction; `alone`: the other function calls itself."""
    function = np.repeat(np.array([VM, OTHER], np.int32), 10)
    return WarpCode(
        place=np.arange(20, dtype=np.uint32) + 100,
        weight=np.ones(20, np.uint32),
        function=function,
        entry=(np.arange(20) % 10 == 0).astype(np.uint8),
        alone=((function == OTHER) & alone).astype(np.uint8),
        names=("mp_execute_bytecode", "other"),
    )


def walked(lanes: list[list[int | str]], alone: bool = False) -> Walk:
    """Return a Walk over lanes' events.

    Events: a block, "call", "return", "ip 7" for an instruction of the switch.
    """
    words = [[1 << 30 | SITE, *(word(event) for event in lane), 2 << 30 | 1] for lane in lanes]
    rows = np.zeros((len(lanes), max(map(len, words))), np.uint32)
    for row, lane in zip(rows, words, strict=True):
        row[: len(lane)] = lane
    lengths = np.array([len(lane) for lane in words], np.uint64)
    return Walk.of(code(alone), Recording(rows, lengths, np.zeros(len(lanes), bool)))


def word(event: int | str) -> int:
    if isinstance(event, int):
        return event + 100
    if event.startswith("ip"):
        return 3 << 30 | int(event[2:])
    return {"call": 1 << 30 | SITE, "return": 2 << 30 | 1}[event]


def both(walk: Walk) -> tuple[Simulated, Simulated]:
    return walk.simulate(None), walk.simulate(BARRIERS)


def test_lanes_that_agree() -> None:
    for one in both(walked([[0, 1, 2]] * 32)):
        assert (one.issues, one.work, one.active) == (3, 96, 32)


def test_an_if_parts_them_until_its_end() -> None:
    for one in both(walked([[0, 1, 3], [0, 2, 3]])):
        assert (one.issues, one.work) == (4, 6)
    parted = by_function(code(), one)[0]
    assert parted == ("mp_execute_bytecode", 2 / 8, 2 / 8)


def test_a_loop_waits_for_its_longest_lane() -> None:
    for one in both(walked([[0, 1, 2, 1, 2, 3], [0, 1, 2, 1, 2, 1, 2, 1, 2, 3]])):
        assert (one.issues, one.work) == (10, 16)
        assert one.in_block[3] == 1


def test_who_leaves_a_loop_in_its_middle_waits_behind_it() -> None:
    # Block 4 leaves the loop of 1, 2, 3 early; 5 follows it.
    for one in both(walked([[0, 1, 2, 4, 5], [0, 1, 2, 3, 1, 2, 4, 5], [0, 1, 2, 3, 1, 5]])):
        assert one.in_block[5] == 1


def test_functions_that_call_themselves_part_lanes_until_they_return() -> None:
    lanes: list[list[int | str]] = [
        [0, "call", 10, 11, 13, 14, "return", 1],
        [0, "call", 10, 12, 13, 14, "return", 1],
    ]
    assert walked(lanes).simulate(BARRIERS).issues == 7
    walk = walked(lanes, alone=True)
    assert walk.simulate(None).issues == 7
    assert walk.simulate(attrs.evolve(BARRIERS, reentry=False)).issues == 1 + 1 + 2 * 4
    assert walk.simulate(BARRIERS).issues == 7


def test_recursion_is_by_depth() -> None:
    deep: list[int | str] = [0, "call", 10, "call", 10, 11, "return", 11, "return", 1]
    flat: list[int | str] = [0, "call", 10, 11, "return", 1]
    for one in both(walked([deep, flat])):
        assert (one.issues, one.work) == (6, 10)  # only the inner call


def test_the_vm_does_not_bring_lanes_together_and_a_policy_does() -> None:
    # Block 1 reaches the switch in each round; 2 and 3 are instructions, of which 3 takes longer.
    one: list[int | str] = [0, 1, "ip 5", 2, 1, "ip 6", 2, 1, "ip 7", 2, 9]
    other: list[int | str] = [0, 1, "ip 5", 3, 4, 1, "ip 6", 2, 1, "ip 7", 2, 9]
    walk = walked([one, other])
    apart = walk.simulate(BARRIERS)
    assert apart.issues == 2 + 5 + 6 + 1  # they reconverge where the function returns, at 9
    ballot = walk.simulate(Regrouping(SWITCH, cost=0))
    assert ballot.issues == 2 + 5 + 4  # each reaches the switch alone once
    assert walk.simulate(Regrouping(SWITCH, cost=9, agreed=2)).waiting == 6


def test_the_least_ip_waits_for_those_behind() -> None:
    # The first lane skips an instruction of the other, so a ballot keeps them apart.
    one: list[int | str] = [0, 1, "ip 5", 2, 1, "ip 7", 3, 1, "ip 8", 4, 9]
    other: list[int | str] = [0, 1, "ip 5", 2, 1, "ip 6", 5, 1, "ip 7", 3, 1, "ip 8", 4, 9]
    walk = walked([one, other])
    ballot = walk.simulate(Regrouping(SWITCH, cost=0)).issues
    assert walk.simulate(Regrouping(SWITCH, "least_ip", rounds=9, cost=0)).issues < ballot
    assert walk.simulate(Regrouping(SWITCH, "least_ip", 9, cost=3)).waiting == 3 * 1
    bounded = walk.simulate(Regrouping(SWITCH, "least_ip", rounds=0, cost=0))
    assert bounded.issues == ballot


def test_a_group_waits_for_ever_unless_it_gives_up() -> None:
    lanes: list[list[int | str]] = [
        [0, 1, "ip 5", 2, 1, "ip 6", 9],
        [0, 1, "ip 5", 3, *[3] * 500],
    ]
    made = walked(lanes)
    walk = attrs.evolve(made, given=(*made.given[:4], type(made.given[4])(0, 1)))
    assert walk.simulate(Regrouping(SWITCH, cost=0)).starved == 1
    patient = walk.simulate(Regrouping(SWITCH, patience=100, cost=0))
    assert patient.starved == 0
    assert 100 < patient.ended[0] < 300
