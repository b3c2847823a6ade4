"""Reconvergence policies: which one a launch uses (porter/run/device/policies.py)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from porter.errors import UsageError, WrongType
from porter.pipeline import Build
from porter.run import Device, Launch, Program, open_device, run
from porter.run.device.policies import (
    AGAIN,
    FORCED,
    MEASURED,
    MOST_PROGRAMS,
    TRIED,
    Choice,
    PolicyCache,
    is_measured,
)
from porter.run.launch.options import POLICIES
from porter.run.launch.record import LEAST_WARPS


def cache() -> PolicyCache:
    made: list[int] = []

    def zeros() -> int:
        made.append(len(made))
        return made[-1]

    return PolicyCache(zeros)


def test_the_second_launch_tries_and_later_ones_use_what_it_measured() -> None:
    policies = cache()
    choices = [policies.next("program") for _ in range(AGAIN + 2)]
    assert choices[0] == Choice(MEASURED, None, 0)
    assert choices[1] == Choice(TRIED, 0, 1)
    assert set(choices[2:AGAIN]) == {Choice(MEASURED, 1)}
    assert choices[AGAIN:] == [Choice(TRIED, 1, 2), Choice(MEASURED, 2)]


def test_a_launch_reads_other_measurements_than_it_writes() -> None:
    policies = cache()
    for _ in range(3 * AGAIN):
        choice = policies.next("program")
        assert choice.known is None or choice.known != choice.sums


def test_measured_launches_become_rare() -> None:
    assert [i for i in range(AGAIN**3 + 1) if is_measured(i)] == [0, 1, AGAIN, AGAIN**2, AGAIN**3]


def test_programs_have_their_own_measurements() -> None:
    policies = cache()
    policies.next("a")
    assert policies.next("b") == Choice(MEASURED, None, 1)
    assert policies.next("a") == Choice(TRIED, 0, 2)


def test_the_least_recently_used_program_is_forgotten() -> None:
    policies = cache()
    for i in range(MOST_PROGRAMS):
        policies.next(i)
    policies.next(0)
    policies.next("one more")  # drops program 1
    assert policies.next(0).policy == MEASURED and policies.next(0).sums is None
    assert policies.next(1).known is None


@pytest.fixture
def twin(built: Build) -> Iterator[Device]:
    """The host twin, which ignores policies, with a cache as a GPU has."""
    device = open_device(built.folder, "host")
    words = 2 * device.built.policy["COUNT"]
    device.policies = PolicyCache(lambda: np.zeros(words, np.uint64))
    yield device
    device.close()


def asked(device: Device, n: int, *sources: str, **options: Any) -> int:
    """Return how many programs the cache has been asked for after a launch."""
    which = None if len(sources) == 1 else np.arange(n, dtype=np.uint32) % len(sources)
    programs = [Program(source) for source in sources]
    result = run(device, programs, n, Launch(**options), program_of=which)
    assert not result.status.any()
    assert device.policies is not None
    return len(device.policies._programs)


def test_launches_of_one_program_on_many_warps_are_measured(twin: Device) -> None:
    many = LEAST_WARPS * twin.warp
    assert asked(twin, many - 1, "x = 1") == 0
    assert asked(twin, many, "x = 1", "x = 2") == 0
    assert asked(twin, many, "x = 1", reconvergence="least") == 0
    assert asked(twin, many, "x = 1") == 1
    assert asked(twin, many, "x = 1") == 1
    assert asked(twin, many, "x = 3") == 2
    assert asked(twin, 4 * many, "x = 3") == 3  # times depend on the number of interpreters


@pytest.mark.parametrize("name", POLICIES)
def test_each_policy_is_accepted(twin: Device, name: str) -> None:
    program = Program("print(sum(range(threadIdx)))")
    result = run(twin, [program], 3, Launch(reconvergence=name))
    assert [result.stdout[i] for i in range(3)] == [b"0\n", b"0\n", b"1\n"]


def test_policies_have_the_numbers_of_the_build(twin: Device) -> None:
    policies = twin.built.policy
    assert {*FORCED.values(), MEASURED, TRIED, "COUNT"} == set(policies.__members__)
    measured = [policies[FORCED[name]] for name in POLICIES if name not in ("measured", "random")]
    assert sorted(measured) == list(range(policies["COUNT"]))


def test_an_unknown_policy_is_refused(twin: Device) -> None:
    with pytest.raises(UsageError, match="reconvergence: 'fastest' is not one of measured,"):
        run(twin, [Program("")], 1, Launch(reconvergence="fastest"))
    with pytest.raises(WrongType, match="reconvergence"):
        Launch(reconvergence=3)  # type: ignore[arg-type]
