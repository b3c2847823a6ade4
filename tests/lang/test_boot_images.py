"""Test that the host twin boots one interpreter per arena and copies it for the next ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from porter.run import Launch, run
from porter.run.built import Built, open_build
from porter.run.device.host import HostTwin
from porter.run.launch.options import Phase

N = 60
# Prints what a boot sets: memory, modules, globals, random numbers, streams, and the index. The
# loop polls often enough that the thread switches between interpreters, which have several arenas.
PROGRAM = """
import gc, sys, random
print(gc.mem_alloc(), gc.mem_free(), sys.argv, sorted(sys.modules), sorted(dir()))
print(random.random(), random.getrandbits(30), threadIdx, numThreads, blockIdx, localIdx)
sys.stderr.write("error stream\\n")
try:
    undefined
except NameError as error:
    print(repr(error))
for i in range(40000):
    pass
sys.modules["damage"] = 1
sys.argv.append("damage")
damage = [str(i) for i in range(100)]
print(gc.mem_alloc())
"""


@pytest.fixture(scope="module")
def twin(built: Built) -> HostTwin:
    return HostTwin(open_build(built.folder), threads=1)


def outcomes(twin: HostTwin, n: int, phase: Phase | None, **options: Any) -> list[Any]:
    result = run(twin, [PROGRAM], n, Launch(stdout=8192, **options), phase)
    rows = zip(result.status, result.steps, result.allocations, strict=True)
    return [(result.stdout[i], result.stderr[i], *map(int, row)) for i, row in enumerate(rows)]


def test_copies_equal_the_interpreter_that_booted(twin: HostTwin) -> None:
    first, *others = outcomes(twin, N, None, alike=True, seed=7)
    assert b"damage" not in first[0] and b"error stream" in first[1]
    assert all(other == first for other in others)


@pytest.mark.parametrize("options", [{}, {"gc_stress": True}, {"heap": 24 << 10}])
def test_copies_equal_interpreters_that_all_boot(twin: HostTwin, options: dict[str, Any]) -> None:
    """Interpreters of a launch in which allocations may fail boot each; number 0 fails none."""
    none = np.zeros(N, np.uint32)
    apart = outcomes(twin, N, None, seed=7, fail_allocation=none, **options)
    assert outcomes(twin, N, None, seed=7, **options) == apart
    assert len({row[0] for row in apart}) == N


def test_failing_allocations_are_counted_from_the_start(twin: HostTwin) -> None:
    numbers = np.arange(1, 41, dtype=np.uint32)
    options: dict[str, Any] = {"fail_allocation": numbers, "seed": 7}
    arenas = twin.arenas(40, int(twin.built.config["pystack"]), int(twin.built.config["heap"]))
    assert outcomes(twin, 40, None, **options) == outcomes(
        twin, 40, Phase(arenas=arenas), **options
    )
