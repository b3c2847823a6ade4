"""An evaluation is reproducible, whatever else runs and however programs are batched."""

from __future__ import annotations

import gc
import subprocess
import sys
from typing import Any

import pytest

from porter.evaluation import Cases, CaseStatus, Evaluation
from porter.run import Device, Launch, run
from porter.run.launch.calls import DeviceCases

from .conftest import Judge

# Values that programs can read beyond their arguments: each is a source of nondeterminism.
SOURCES = {
    "random": "import random\nreturn [random.random(), random.randrange(10**6)]",
    "urandom": "import os\nreturn os.urandom(8)",
    "time": "import time\nreturn [time.time(), time.time_ns(), time.ticks_us(), time.ticks_cpu()]",
    "localtime": "import time\nreturn time.localtime()",
    "index": "return [threadIdx, numThreads, blockIdx, blockDim, localIdx]",
    "id": "return [id([]), id(print), id(solve), id(sys), id(1)]",
    "text": "return [repr(object()), repr(solve), repr(O()), repr([].append), repr(x for x in '')]",
    "hash": "return [hash(O()), hash(solve), hash(len), hash([].append), hash('a'), hash(O)]",
    "order": "return [type(o).__name__ + str(o.n) for o in set(O(n) for n in range(50))]",
    "dict order": "return list({str(n): n for n in range(50)}.values())",
    "formatted": "return '%s' % O() + str(O)",
    "address": "import uctypes\nreturn uctypes.addressof(bytearray(3))",
    "exception": "try:\n open('x')\nexcept OSError as e: return [repr(e), id(e)]",
}
PROGRAM = """import sys
class O:
 def __init__(self, n=0): self.n = n
def solve():
 {}
"""
PROGRAMS = [PROGRAM.format(text.replace("\n", "\n ")) for text in SOURCES.values()]


def uploaded() -> int:
    """Return the number of sets of cases in device memory."""
    gc.collect()
    return sum(isinstance(one, DeviceCases) for one in gc.get_objects())


def test_cases_lie_on_the_device_no_longer_than_they_are_wanted(judged: Judge) -> None:
    before, seen = uploaded(), []
    programs = [(f"def solve(x): return {n}", [((1,), n)]) for n in range(5)]
    assert judged(programs, batch=1, progress=lambda _: seen.append(uploaded())).solved.all()
    assert max(seen) <= before + 1 and uploaded() == before
    cases = Cases.of([((1,), 1)])
    for _ in range(3):
        assert judged(["def solve(x): return x"], cases).solved.all()
        assert uploaded() == before + 1
    del cases
    assert uploaded() == before


def all_of(found: Evaluation) -> list[Any]:
    values, outputs = found.values, found.outputs
    assert values is not None
    return [found.status.tolist(), found.steps.tolist(), repr(values), outputs, found.tracebacks]


KEEP = ("values", "outputs", "tracebacks")


def test_every_source_of_chance(judged: Judge) -> None:
    once = judged(PROGRAMS, [((), None)], keep=KEEP)
    assert {CaseStatus(status) for status in once.status.ravel()} == {CaseStatus.WRONG}, once
    # Other neighbours, other threads of the host twin, other memory.
    padding = ["def solve(): return [bytearray(n) for n in range(100)]\n"] * 300
    many = judged(padding + PROGRAMS[::-1] + padding, [((), None)], keep=KEEP, batch=7)
    assert once.values is not None and many.values is not None
    again = many.values[300:-300][::-1]
    for name, first, second in zip(SOURCES, once.values, again, strict=True):
        assert repr(first) == repr(second), name
    assert (many.steps[300:-300][::-1] == once.steps).all()


PROCESS = """
import sys
from porter import evaluate
from porter.run import open_device
from tests.evaluation.test_repeating import KEEP, PROGRAMS, all_of
device = open_device(sys.argv[1], "host")
print(all_of(evaluate(PROGRAMS, [((), None)], keep=KEEP, device=device)))
"""


def test_other_processes_find_the_same(any_device: Device) -> None:
    if any_device.on_gpu:
        pytest.skip("its processes are tests of their own")
    command = [sys.executable, "-c", PROCESS, str(any_device.built.folder)]
    texts = {subprocess.run(command, capture_output=True, check=True).stdout for _ in range(2)}
    assert len(texts) == 1


def test_seed_and_clock(judged: Judge) -> None:
    program = (
        "import os, random, time\ndef solve(): return [os.urandom(4), random.random(), time.time()]"
    )

    def found(**options: Any) -> Any:
        values = judged([program], [((), None)] * 3, keep="values", **options).values
        assert values is not None and len(set(map(repr, values[0]))) == 1
        return values[0][0]

    assert found() == found() == found(seed=0)
    assert found(seed=1)[:2] != found()[:2] and found(seed=1)[2] == found()[2]
    assert found(clock=1e9)[2] == 1e9


def test_the_machines_clock_on_request(judged: Judge) -> None:
    import time

    program = (
        "import time\ndef solve():\n a = time.time()\n time.sleep(0.05)\n return [a, time.time()]"
    )
    values = judged([program], [((), None)], keep="values", clock=None, deadline=30).values
    assert values is not None
    first, second = values[0][0]
    assert abs(first - time.time()) < 100 and second - first >= 0.05


WAITING = {
    "sleep": "import time\ndef solve():\n time.sleep(10**6)\n return time.time()",
    "sleep_ms": "import time\ndef solve():\n time.sleep_ms(10**9)\n return time.time()",
    "sleep_us": "import time\ndef solve():\n time.sleep_us(10**12)\n return time.time()",
    "poll": "import select, time\ndef solve():\n select.poll().poll(10**9)\n return time.time()",
    "asyncio": "import asyncio, time\nasync def wait(): await asyncio.sleep(10**6)\n"
    "def solve():\n asyncio.run(wait())\n return time.time()",
}


def test_where_the_clock_stands_waiting_takes_no_time(judged: Judge) -> None:
    found = judged(list(WAITING.values()), [((), 10**6)], clock=0)
    assert found.passed.ravel().tolist() == [True] * len(WAITING), found


FOREVER = {
    "poll": "import select\ndef solve():\n select.poll().poll()",
    "catches": "import select\n"
    "def solve():\n while True:\n  try: select.poll().poll()\n  except: pass",
    "asyncio": "import asyncio\nasync def wait(): await asyncio.Event().wait()\n"
    "def solve(): asyncio.run(wait())",
    "input": "def solve():\n while True:\n  try: input()\n  except EOFError: pass",
    "busy": "import time\ndef solve():\n while time.time() < 10**12: pass",
}


def test_who_waits_for_ever_ends(judged: Judge) -> None:
    found = judged(list(FOREVER.values()), [((), None)], steps=50_000).status.ravel().tolist()
    allowed = {CaseStatus.OUT_OF_TIME, CaseStatus.OUT_OF_STEPS}
    assert set(found) <= allowed, dict(zip(FOREVER, found, strict=True))


def test_a_launch_without_them_is_as_ever(any_device: Device) -> None:
    result = run(any_device, ["print(threadIdx, numThreads, hash(object) != 0)"], 3, Launch())
    assert result.stdout[2] == b"2 3 True\n"
    alike = run(any_device, ["print(threadIdx, numThreads)"], 3, Launch(alike=True, total=1))
    assert {alike.stdout[i] for i in range(3)} == {b"0 1\n"}


def test_a_barrier_holds_nobody_up(judged: Judge) -> None:
    found = judged(["def solve(): syncthreads()"] * 2, [((), None)], keep="tracebacks")
    assert found.tracebacks is not None and "syncthreads() in a launch" in str(found.tracebacks[0])
    assert set(found.status.ravel()) == {CaseStatus.RAISED}
