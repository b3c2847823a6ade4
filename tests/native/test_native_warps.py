"""Native code in lanes of one warp: they diverge, wait for each other, and one is endless.

Lanes in native code reconverge after loops (porter/compiler/passes/outlining.py).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import frozen

from porter import InterpreterArray, toolchain
from porter.errors import NoNvcc
from porter.native import open_compiled
from porter.run.built import open_build

N, WARP = 96, 32


@frozen
class Opened:
    """Interpreters with native code of a program, and the bound arrays by name."""

    array: InterpreterArray
    bound: dict[str, Any]

    def outputs(self, source: str) -> list[bytes]:
        """Return the output of each interpreter, run by native code."""
        outcome = self.array.exec(source, compiled=True, timeout=30.0, check=False)
        assert outcome.compiled is not None and outcome.compiled.compiled
        return [bytes(outcome.stdout[i]) for i in range(self.array.n)]


Open = Callable[..., Opened]


@pytest.fixture(params=["host", pytest.param("gpu", marks=pytest.mark.gpu)])
def compiled(request: pytest.FixtureRequest) -> Iterator[Open]:
    """Return compiled(source, n, name=array...): n interpreters with native code of `source`."""
    with ExitStack() as stack:

        def opened(source: str, n: int, **bound: np.ndarray[Any, Any]) -> Opened:
            if request.param == "host":
                array = request.getfixturevalue("make")(n)
            else:
                if "PORTER_GPU_BUILD" not in os.environ:
                    pytest.skip("PORTER_GPU_BUILD names no device build")
                try:
                    toolchain.nvcc()
                except NoNvcc as error:
                    pytest.skip(error.message)
                built = open_build(Path(os.environ["PORTER_GPU_BUILD"]))
                device = open_compiled(built, [source], n=n, bound=bound)
                stack.callback(device.close)
                array = stack.enter_context(InterpreterArray(n, device=device))
            held = {name: array.device.array(values) for name, values in bound.items()}
            for name, values in held.items():
                array.bind(name, values)
            return Opened(array, held)

        yield opened


def in_python(source: str, index: int) -> bytes:
    """Return CPython's output."""
    printed: list[str] = []
    names = {"threadIdx": index, "numThreads": N, "print": lambda *a: printed.append(f"{a[0]}\n")}
    exec(source, names)
    return "".join(printed).encode()


PARTING = {
    "turns of an inner loop": """
def work(n, seed):
    found = 0
    for row in range(n):
        x = seed * 7 + row
        while x != 1 and found < 100000:
            x = x // 2 if x % 2 == 0 else x * 3 + 1
            found += 1
    return found
print(work(9, threadIdx + 2))
""",
    "a branch with a call": """
class Walker:
    def __init__(self, seed):
        self.seed, self.x = seed, 0
    def step(self):
        self.seed = (self.seed * 1103 + 12345) & 0x7FFF
        if self.seed & 64:
            self.x += 1
        else:
            self.x -= self.seed & 3
def walk(walker, n):
    for i in range(n):
        walker.step()
    return walker.x
print(walk(Walker(threadIdx), 300))
""",
    "a loop that breaks, at module level": """
found = []
for start in range(5):
    total = start + threadIdx
    for i in range(200):
        total = total * 31 % 1009
        if total % 17 == 3:
            break
        if i % 50 == 49:
            found.append(total)
    else:
        found.append(-1)
    found.append(total)
print(sum(found))
""",
    "exceptions in some": """
def work(n, start):
    total = 0
    for i in range(start, n):
        if i * (threadIdx + 3) % 23 == 5:
            raise ValueError(i)
        total += i & 7
    return total
found, start = 0, 0
while start < 60:
    try:
        found += work(60, start)
        start = 60
    except ValueError as error:
        found += 1000
        start = error.args[0] + 1
print(found)
""",
    "recursion of its own depth": """
def down(n):
    if n < 2:
        return 1
    return down(n - 1) + (down(n - 2) if n % 3 else 0)
total = 0
for i in range(4):
    total += down(threadIdx % 9 + i)
print(total)
""",
    "a generator's turns": """
def some(n):
    for i in range(n):
        if i % 3 != threadIdx % 3:
            yield i
total = 0
for i in range(3):
    for x in some(20 + threadIdx % 5):
        total += x
print(total)
""",
}


@pytest.mark.parametrize("source", PARTING.values(), ids=PARTING)
def test_lanes_that_part_do_what_each_would_alone(compiled: Open, source: str) -> None:
    assert compiled(source, N).outputs(source) == [in_python(source, i) for i in range(N)]


LOCK = """
import gpu
def work(turns):
    for i in range(turns):
        while gpu.atomic_cas(cells, 0, 0, 1):
            pass
        n = cells[1]
        for j in range(20):
            pass
        cells[1] = n + 1
        gpu.atomic_exchange(cells, 0, 0)
work(10)
"""


def test_a_lock_among_lanes(compiled: Open) -> None:
    opened = compiled(LOCK, N, cells=np.zeros(2, np.int32))
    assert opened.outputs(LOCK) == [b""] * N
    assert opened.array.device.host(opened.bound["cells"]).tolist() == [0, N * 10]


FLAGS = """
def wait(at, most):
    turns = 0
    while flags[at] == 0 and turns < most:
        turns += 1
    return turns < most
me = threadIdx
ok = True
for round in range(3):
    if me:
        ok = ok and wait(me - 1 + round * numThreads, 100000000)
    elif round:
        ok = wait(numThreads - 1 + (round - 1) * numThreads, 100000000)
    flags[me + round * numThreads] = 1
print(ok)
"""


def test_each_waits_for_the_lane_before_it(compiled: Open) -> None:
    opened = compiled(FLAGS, WARP, flags=np.zeros(3 * WARP, np.int32))
    if not opened.array.device.on_gpu:
        pytest.skip("interpreters of the host twin run one after the other")
    assert opened.outputs(FLAGS) == [b"True\n"] * WARP


ENDLESS = """
def spin(x):
    while True:
        x = x * 3 & 1023
def work(n, seed):
    found = 0
    for i in range(n):
        for j in range((i + seed) % 7):
            found += j
    return found
if threadIdx % 32 in (3, 17):
    spin(threadIdx)
print(work(2000, threadIdx))
"""


def test_some_never_end(compiled: Open) -> None:
    array = compiled(ENDLESS, N).array
    endless = np.isin(np.arange(N) % WARP, (3, 17))
    limits = np.where(endless, 1.5, 1.2)
    outcome = array.exec(ENDLESS, compiled=True, timeout=30.0, check=False, deadline=limits)
    assert [bool(status) for status in outcome.status] == endless.tolist()
    work = ENDLESS.replace("spin(threadIdx)", "pass")
    for i in np.flatnonzero(~endless).tolist():
        assert outcome.stdout[i] == in_python(work, i)


BARRIER = """
import gpu
def work(turns):
    total = 0
    for i in range(turns):
        for j in range((threadIdx * 7 + i) % 11):
            total += j
        syncthreads()
        if threadIdx % 2:
            total += 1
            syncthreads()
        else:
            syncthreads()
            total += 2
    return total
print(work(5))
"""


def test_barriers_in_branches(compiled: Open) -> None:
    opened = compiled(BARRIER, WARP)
    without = BARRIER.replace("syncthreads()", "pass").replace("import gpu", "")
    assert opened.outputs(BARRIER) == [in_python(without, i) for i in range(WARP)]
