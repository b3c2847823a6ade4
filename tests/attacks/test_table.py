"""Classes of hostile programs, each among many neighbours in every mode of execution.

Each program runs in three interpreters of one launch: the first, one in the middle and the last.
All other interpreters run the neighbour, in the same blocks and warps. A hostile program must end
as stated in `programs`, and each neighbour must print the neighbour's output. The default tier has
500 interpreters without native code; the campaign `attack-table` has 10,003 in every mode. On a GPU
all modes have 10,003.
"""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

import numpy as np
import pytest

from porter.native.known_programs import compiled_phase
from porter.run import Device, Launch, Program, run

from .machines import LIMITS, MANY, Machine
from .programs import ATTACKS, NEIGHBOUR, PAIRS, PRINTED, Attack

if TYPE_CHECKING:
    from porter.run.launch.options import Phase

ENDLESS = 0.3  # seconds that a program without end may run


def check(machine: Machine, mode: str, attack: Attack, count: int) -> None:
    """Run `attack` in three of `count` interpreters; check its end and all neighbours."""
    at = [0, count // 2, count - 1]
    source = (
        f"def hostile():\n{textwrap.indent(attack.source, ' ')}\n"
        f"def neighbour():\n{textwrap.indent(NEIGHBOUR, ' ')}\n"
        f"if threadIdx in {tuple(at)}:\n hostile()\nelse:\n neighbour()\n"
    )
    limit = LIMITS[machine.target]
    deadline = np.full(count, limit)
    if "OUT_OF_TIME" in attack.ends:
        deadline[at] = ENDLESS
    launch = Launch(
        heap=attack.heap,
        stdout=1024,
        deadline=deadline,
        timeout=limit,
        sandbox=mode == "sandbox",
        order=False,
    )
    program = Program(source.encode(), "attack.py")
    if mode == "compiled":
        with machine.compiled(program, launch, count) as device:
            phase, brought = compiled_phase(device, program, count, launch)
            assert phase is not None and brought is not None
            ended(device, mode, attack, program, launch, at, phase)
    else:
        ended(machine.device(mode, attack.heap), mode, attack, program, launch, at)


def ended(
    device: Device,
    mode: str,
    attack: Attack,
    program: Program,
    launch: Launch,
    at: list[int],
    phase: Phase | None = None,
) -> None:
    """Launch `program`; check the interpreters `at`, which run the attack, and all others."""
    count = at[-1] + 1
    result = run(device, [program], count, launch, phase)
    assert not result.interrupted, f"{result.seconds} s"
    names = result.statuses
    ends = attack.ends
    if mode == "bounds-checked" and attack.checked is not None:
        ends = (attack.checked,)
    for i in at:
        said = (names(int(result.status[i])).name, result.stdout[i], result.stderr[i])
        assert said[0] in ends, said
        assert re.fullmatch(attack.prints.encode(), said[1]), said
        if attack.raises is None:
            assert said[2] == b"", said
        else:
            assert re.search(attack.raises.encode(), said[2]), said
    others = np.delete(np.arange(count), at)
    assert (result.status[others] == names["OK"]).all()
    printed = [group.count for group in result.stdout.groups if group.text == PRINTED]
    assert printed == [len(others)], result.stdout.groups[:5]


# The campaign compiles each program to native code, which takes seconds.
@pytest.mark.parametrize(("mode", "name"), [each for each in PAIRS if each[0] != "compiled"])
def test_an_attack_ends_among_neighbours(host: Machine, mode: str, name: str) -> None:
    check(host, mode, ATTACKS[name], 500)


@pytest.mark.campaign("attack-table")
@pytest.mark.parametrize(("mode", "name"), PAIRS)
def test_an_attack_ends_among_ten_thousand(host: Machine, mode: str, name: str) -> None:
    check(host, mode, ATTACKS[name], MANY)


@pytest.mark.gpu
@pytest.mark.parametrize(("mode", "name"), PAIRS)
def test_an_attack_ends_on_a_gpu(gpu: Machine, mode: str, name: str) -> None:
    check(gpu, mode, ATTACKS[name], MANY)
