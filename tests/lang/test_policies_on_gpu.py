"""Reconvergence policies on a GPU: they change times, never outputs, statuses or steps."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from endless import WORDS
from test_reconvergence import ENDLESS, PROGRAMS

from porter.run import Device, Launch, Program, run
from porter.run.device.policies import AGAIN, PolicyCache
from porter.run.launch.options import POLICIES
from porter.run.result import Result
from porter_dev.bench.catalogue import SUITE
from porter_dev.bench.oracle import expected
from tests.cpython import cpython

pytestmark = pytest.mark.gpu

TARGETS = pytest.mark.parametrize("any_device", ["cuda"], indirect=True)
N = 2112  # 66 warps
DIVERGENT = {
    benchmark.name: benchmark
    for benchmark in SUITE
    if benchmark.name in ("exceptions", "expressions", "graph", "logs", "queens", "words")
}


@pytest.fixture
def fresh(any_device: Device) -> Iterator[Device]:
    """The device, without measurements of earlier launches."""
    kept = any_device.policies
    assert kept is not None
    any_device.policies = PolicyCache(kept.zeros)
    yield any_device
    any_device.policies = kept


def of_all(result: Result) -> list[tuple[bytes, int]]:
    return [(result.stdout[i], int(result.steps[i])) for i in range(len(result.status))]


def by_policy(device: Device, source: str) -> dict[str, list[tuple[bytes, int]]]:
    """Return the outputs and steps of all interpreters with each policy."""
    found = {}
    for policy in POLICIES:
        launch = Launch(timeout=60.0, reconvergence=policy, max_steps=2**40)
        result = run(device, [Program(source)], N, launch)
        assert not result.status.any(), (policy, result.stderr[0])
        found[policy] = of_all(result)
    return found


@TARGETS
@pytest.mark.parametrize("name", PROGRAMS)
def test_outputs_and_steps_do_not_depend_on_the_policy(fresh: Device, name: str) -> None:
    found = by_policy(fresh, PROGRAMS[name])
    assert all(of == found["deepest"] for of in found.values())


@TARGETS
@pytest.mark.parametrize("name", DIVERGENT)
def test_nor_do_those_of_the_benchmarks(fresh: Device, name: str) -> None:
    found = by_policy(fresh, DIVERGENT[name].source)
    assert all(of == found["deepest"] for of in found.values())
    texts = expected(DIVERGENT[name])
    assert [text for text, _ in found["random"]] == [texts[i % len(texts)] for i in range(N)]


@TARGETS
@pytest.mark.parametrize("policy", POLICIES[1:])
@pytest.mark.parametrize("name", ENDLESS)
def test_neighbours_that_never_end(any_device: Device, name: str, policy: str) -> None:
    lanes = "threadIdx % 32 == 5"
    endless = "".join(f"    {line}\n" for line in ENDLESS[name].splitlines())
    cells = any_device.zeros(1, "int32")
    cells[0] = 1
    source = f"{WORDS}\nif {lanes}:\n{endless}print(work(200))\n"
    limits = Launch(deadline=4.0, bind={"cells": cells}, timeout=60.0, reconvergence=policy)
    result = run(any_device, [source], 64, limits)
    for i in range(64):
        if not eval(lanes, {"threadIdx": i}):
            assert result.stdout[i] == cpython(f"{WORDS}\nprint(work(200))", threadIdx=i)


@TARGETS
def test_measured_launches_give_the_same_and_count_each_warp(fresh: Device) -> None:
    programs = [Program(DIVERGENT["words"].source)]
    first = of_all(run(fresh, programs, N, Launch(max_steps=2**40)))
    assert fresh.policies is not None
    for _ in range(1, AGAIN + 2):
        assert of_all(run(fresh, programs, N, Launch(max_steps=2**40))) == first
        (kept,) = fresh.policies._programs.values()
        sums = np.asarray(fresh.host(kept.known)).reshape(-1, 2)
        warps = sums[:, 0]
        assert warps.sum() == N // 32 and (sums[:, 1] > 0).tolist() == (warps > 0).tolist()
        assert (warps > 0).all()


@TARGETS
def test_warps_with_ended_or_idle_lanes(fresh: Device) -> None:
    source = "if threadIdx % 3 == 1:\n    raise SystemExit(3)\nif threadIdx % 7 == 2:\n    1 / 0\n"
    source += WORDS + "\nprint(work(20))\n"
    texts = {i: cpython(f"{WORDS}\nprint(work(20))", threadIdx=i) for i in range(64)}
    for _ in range(3):
        result = run(fresh, [Program(source)], N + 5)
        for i in range(64):
            runs = i % 3 != 1 and i % 7 != 2
            assert result.stdout[i] == (texts[i] if runs else b"")
