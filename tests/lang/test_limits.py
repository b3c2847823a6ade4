"""Limits of each interpreter: exact steps, a deadline, and no way around them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from porter import InterpreterArray
from porter.base.sizes import KIB
from porter.errors import InterpreterTimeout, LimitReached, ProgramFailed
from porter.run import Device, Feed, Launch, Program, Result, open_device, run

ORDINARY = Path(__file__).parents[1] / "ordinary" / "programs"
SPIN = "while True: pass\n"
LATE = 0.2  # seconds after its deadline in which a program must have ended

COUNTED = """
def fall(n):
    return n and fall(n - 1)

def items():
    for i in range(10):
        try:
            yield i
        finally:
            pass

for i in range(300):
    if i % 3 and i:
        continue
fall(20)
total = sum(items()) + len(sorted(range(50), key=lambda i: -i))
try:
    1 // 0
except ZeroDivisionError:
    print(total)
"""


def ended(device: Device, program: str, n: int = 2, **options: Any) -> Result:
    return run(device, [program], n, Launch(**options))


def in_time(device: Device, program: str, result: Result, **options: Any) -> bool:
    """Return whether a launch with a deadline of 0.2 s ended in time; retries under load."""
    tries = 5
    while result.seconds > 0.2 + LATE and (tries := tries - 1):
        result = ended(device, program, 3, timeout=20.0, deadline=0.2, **options)
    return result.seconds <= 0.2 + LATE


def names(result: Result) -> set[str]:
    return {result.statuses(status).name for status in result.status.tolist()}


@pytest.mark.parametrize("program", [COUNTED, "fall = lambda n: n and fall(n - 1)\nfall(9)\n"])
def test_exactly_so_many_steps(any_device: Device, program: str) -> None:
    free = ended(any_device, program)
    steps = int(free.steps[0])
    enough = ended(any_device, program, max_steps=steps)
    assert names(enough) == {"OK"} and enough.steps.tolist() == [steps, steps]
    assert enough.stdout[0] == free.stdout[0]
    for fewer in (steps - 1, steps // 2, 1):
        result = ended(any_device, program, max_steps=fewer)
        assert names(result) == {"OUT_OF_STEPS"} and set(result.steps.tolist()) == {fewer}


def test_a_turn_and_a_call_are_steps(any_device: Device) -> None:
    def steps(program: str) -> int:
        return int(ended(any_device, program, 1).steps[0])

    for turn in ("while i < {n}:\n    i += 1", "for i in range({n}):\n    f()", "sum(range({n}))"):
        few, many = (steps("i = 0\nf = lambda: 0\n" + turn.format(n=n)) for n in (1000, 2000))
        assert many - few >= 1000 and (many - few) % 1000 == 0
    few, many = (steps(f"f = lambda n: n and f(n - 1)\nf({n})") for n in (10, 20))
    assert many - few >= 10


ITEMS = "r = range({n})\nitems = [i % 7 for i in r]\ntexts = ['1.25'] * {n}\nimport bisect, heapq\n"


@pytest.mark.parametrize(
    "call, most",
    [
        ("sum(items)", 2),
        ("sum(r, 0.5)", 1),
        ("max(items)", 2),
        ("sum(map(float, texts))", 8),
        ("heapq.heapify(items)", 4),
        ("[bisect.bisect(items, 3, 0, 9) for i in r]", 60),
    ],
)
def test_operations_on_items_take_few_steps(any_device: Device, call: str, most: int) -> None:
    """Else programs with 100,000 items would end at the default step limit."""
    few, many = (
        int(ended(any_device, (ITEMS + call).format(n=n), 1).steps[0])
        - int(ended(any_device, ITEMS.format(n=n), 1).steps[0])
        for n in (100, 200)
    )
    assert 1 <= (many - few) / 100 <= most


@pytest.mark.parametrize("n", [1, 64, 700])
def test_equal_whatever_else_runs(any_device: Device, n: int) -> None:
    mixed = f"if threadIdx % 2:\n    for i in range(9999): pass\nelse:\n    exec({COUNTED!r})\n"
    alone = ended(any_device, mixed, 1).steps[0]
    assert set(ended(any_device, mixed, n, max_steps=10**6).steps[::2].tolist()) == {alone}


@pytest.mark.parametrize("fork", [True, False])  # without a GPU none is copied
def test_copies_take_the_steps_of_originals(any_device: Device, fork: bool) -> None:
    expected = ended(any_device, COUNTED, 1, fork=False).steps[0]
    result = ended(any_device, COUNTED, 64, fork=fork, max_steps=int(expected))
    assert names(result) == {"OK"} and set(result.steps.tolist()) == {expected}
    result = ended(any_device, COUNTED, 64, fork=fork, max_steps=int(expected) - 1)
    assert names(result) == {"OUT_OF_STEPS"}


def test_compiled_code_takes_the_steps_of_its_source(any_device: Device) -> None:
    with InterpreterArray(3, device=any_device) as array:
        array.exec(COUNTED)  # the first run initialises lazily created objects
        source = array.exec(COUNTED).steps
        assert array.run(array.compile(COUNTED)).steps.tolist() == source.tolist()


@pytest.mark.gpu
@pytest.mark.parametrize("path", sorted(ORDINARY.glob("*.py")), ids=lambda path: path.stem)
def test_host_and_gpu_count_alike(
    any_device: Device, request: pytest.FixtureRequest, path: Path
) -> None:
    if not any_device.on_gpu:
        pytest.skip("it is the GPU that is compared")
    if path.stem == "asyncio_tasks":
        pytest.skip("it waits for the clock")
    if "host" not in any_device.built.whole.targets:
        pytest.skip("this build has no host twin to compare with")
    host = open_device(any_device.built.folder, "host")
    # Frames of C functions are larger with bounds checks. With local arenas the build has the size.
    checked = any_device.built.bounds_checks and any_device.built.config["arena"] == "global"
    launch = Launch(heap=128 * 1024, stack=(128 if checked else 32) * 1024)
    program = Program(path.read_bytes(), path.name)
    counts = {int(run(d, [program], 2, launch).steps[1]) for d in (host, any_device)}
    assert len(counts) == 1


def test_each_has_its_own(any_device: Device) -> None:
    steps = [100, None, 5000, 10**6]
    program = "for i in range(2000): pass\n"
    result = ended(any_device, program, 4, max_steps=steps)
    assert [result.statuses(s).name for s in result.status] == ["OUT_OF_STEPS", "OK", "OK", "OK"]
    with pytest.raises(LimitReached, match=r"^1 of 4 interpreters took more steps than they may"):
        result.raise_for_status()
    result = ended(any_device, "if threadIdx:\n    " + SPIN, 3, deadline=[None, 0.1, 0.3])
    assert [result.statuses(s).name for s in result.status] == ["OK", "OUT_OF_TIME", "OUT_OF_TIME"]


WAYS: dict[str, str] = {
    "loop": SPIN,
    "catches all": "while True:\n try:\n  while True: pass\n except BaseException: pass\n",
    "finally": "try:\n while True: pass\nfinally:\n while True: pass\n",
    "with": "class C:\n def __enter__(s): pass\n def __exit__(s, *a):\n  while True: pass\n"
    "with C():\n while True: pass\n",
    "generator": "def g():\n while True:\n  try: yield 1\n  except BaseException: pass\n"
    "for i in g(): pass\n",
    "recursion": "def f(): f()\nwhile True:\n try: f()\n except RuntimeError: pass\n",
    "iterator in C": "sum(range(10**18))",
    "finaliser": "import gc\nclass A:\n def __del__(s):\n  while True: pass\n"
    "for i in range(50): A()\ngc.collect()\n" + SPIN,
    "exit function": "import sys\ndef f():\n while True: pass\nsys.atexit(f)\n",
    "exits, exit function": "import sys\ndef f():\n while True: pass\nsys.atexit(f)\nsys.exit()\n",
    "scheduled": "import micropython\ndef f(x):\n while True: pass\nmicropython.schedule(f, 0)\n"
    + SPIN,
}
# Bodies of `__str__`, which the printing of an uncaught exception calls.
MESSAGES = {
    "loop": "while True: pass",
    "iterator in C": "sum(range(10**18))",
    "catches all": """while True:
   try:
    while True: pass
   except BaseException: pass""",
    "sleep": "__import__('time').sleep(100)",
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("limit", [{"max_steps": 20_000}, {"deadline": 0.2}], ids=["steps", "time"])
def test_nothing_gets_around_it(any_device: Device, way: str, limit: dict[str, Any]) -> None:
    result = ended(any_device, WAYS[way], 3, timeout=20.0, heap=64 * 1024, **limit)
    assert names(result) == {"OUT_OF_STEPS" if "max_steps" in limit else "OUT_OF_TIME"}
    assert not result.interrupted
    if "max_steps" in limit:
        assert set(result.steps.tolist()) == {20_000}
    else:
        assert in_time(any_device, WAYS[way], result, heap=64 * 1024)


LIMITS: dict[str, dict[str, Any]] = {
    "none": {},
    "steps": {"max_steps": 20_000},
    "time": {"deadline": 0.2},
}


# A sleep takes no steps, so that a time alone ends it.
@pytest.mark.parametrize(
    ("text", "limit"),
    [
        (text, limit)
        for text in MESSAGES
        for limit in LIMITS
        if (text, limit) not in {("sleep", "none"), ("sleep", "steps")}
    ],
)
def test_a_message_takes_no_steps_of_the_program(any_device: Device, text: str, limit: str) -> None:
    limits = LIMITS[limit]
    program = f"class E:\n def __str__(s):\n  {MESSAGES[text]}\nraise ValueError(E())\n"
    result = ended(any_device, program, 3, timeout=20.0, heap=64 * 1024, **limits)
    assert names(result) == {"EXCEPTION"} and not result.interrupted
    assert result.stderr[0].startswith(b"Traceback (most recent call last):\n")
    assert result.stderr[0].endswith(b"ValueError: <exception str() failed>\n")
    assert max(result.steps.tolist()) < 1000
    if "deadline" in limits:
        assert in_time(any_device, program, result, heap=64 * 1024)


def test_a_message_without_end_is_stopped_with_the_launch(any_device: Device) -> None:
    program = """
import time
class E:
    def __str__(self):
        while True:
            try:
                time.sleep(100)
            except BaseException:
                pass
raise ValueError(E())
"""
    result = ended(any_device, program, 3, timeout=0.5)
    assert result.interrupted and names(result) == {"STOPPED"}


def test_waiting_ends_at_the_deadline(any_device: Device) -> None:
    for program, options in (
        ("import time\ntime.sleep(100)", {}),
        ("import select\nselect.poll().poll(100000)", {}),
        ("input()", {"stdin": Feed(), "console": "ring", "on_output": lambda batch: None}),
        ("syncthreads()\n" + SPIN, {}),
    ):
        result = ended(any_device, program, 3, block=3, timeout=20.0, deadline=0.2, **options)
        assert names(result) == {"OUT_OF_TIME"}, program
        if "stdin" not in options:  # a feed serves one launch
            assert in_time(any_device, program, result, block=3, **options), program


def test_the_barrier_opens_for_the_others(any_device: Device) -> None:
    program = f"if threadIdx == 1:\n    {SPIN}syncthreads()\nprint(1)"
    result = ended(any_device, program, 8, block=8, max_steps=10**5)
    assert result.limited[0].count == 1 and result.stdout[0] == result.stdout[7] == b"1\n"


def test_endless_neighbours_take_only_their_share(any_device: Device) -> None:
    program = f"if threadIdx % 8:\n    {SPIN}for i in range(20000): pass\nprint('well')\n"
    for limit in ({"max_steps": 200_000}, {"deadline": 1.0}, {"timeout": 5.0}):
        result = ended(any_device, program, 800, **limit)
        well = np.arange(800) % 8 == 0
        assert (result.status[well] == 0).all(), limit
        assert (result.status[~well] != 0).all()


REPEATED = """
total = 1
class A:
    def __del__(self):
        while True:
            pass
def spin():
    global total
    total = 2
    for i in range(20):
        A()
    gc.collect()
    while True:
        pass
import gc, micropython
def later(x):
    while True:
        pass
"""


def test_interpreters_live_on(any_device: Device) -> None:
    with InterpreterArray(4, device=any_device) as array:
        array.exec(REPEATED)
        for source in ("spin()", "micropython.schedule(later, 0)\nspin()", "A()\nspin()"):
            with pytest.raises(InterpreterTimeout, match="OutOfSteps: took more than 5000 steps"):
                array.exec(source, max_steps=5000)
            # The heap is not locked, collections go on, the scheduler is free.
            array.exec("kept = [bytearray(100) for i in range(50)]\nA = None\ngc.collect()")
            assert array.eval("total + len(kept)", max_steps=100).tolist() == [52] * 4
            array.exec("micropython.schedule(lambda x: kept.clear(), 0)\nfor i in range(9): pass")
            assert array.eval("len(kept)").tolist() == [0] * 4
            array.exec(REPEATED.partition("def spin")[0])
        outcome = array.exec("for i in range(threadIdx * 100): pass", check=False, max_steps=250)
        assert [e.type for e in outcome.exceptions] == ["OutOfSteps"]
        assert outcome.failed.tolist() == (outcome.steps == 250).tolist()
        outcome = array.exec(SPIN, check=False, deadline=0.1)
        assert outcome.exceptions[0].type == "OutOfTime" and outcome.exceptions[0].count == 4


def test_values_count_too(any_device: Device) -> None:
    with InterpreterArray(2, device=any_device) as array:
        array.exec("class A:\n def __repr__(s):\n  while True: pass\n")
        with pytest.raises(InterpreterTimeout, match="OutOfSteps"):
            array.eval("A()", max_steps=1000)
        assert array.eval("1 + 1", max_steps=1000).tolist() == [2, 2]


def test_what_a_result_says(any_device: Device) -> None:
    result = ended(any_device, "if threadIdx % 2:\n    " + SPIN, 8, max_steps=1000)
    assert result.count(result.statuses["OUT_OF_STEPS"]) == 4
    with pytest.raises(LimitReached) as caught:
        result.raise_for_status()
    message = "4 of 8 interpreters took more than 1000 steps (status GPUSNEK_OUT_OF_STEPS)"
    assert caught.value.message == message and "--max-steps" in str(caught.value.hint)
    mixed = ended(any_device, "if threadIdx:\n    " + SPIN + "1 // 0", 8, max_steps=1000)
    with pytest.raises(ProgramFailed, match=r"^8 of 8 .* an error, 7 of 8 interpreters took more"):
        mixed.raise_for_status()


def test_searches_for_names_take_steps(any_device: Device) -> None:
    """The search for a new name takes steps in proportion to the number of a program's names."""

    def steps(count: int) -> int:
        program = f"""
class A: pass
a = A()
for i in range({count}):
    setattr(a, 'x%d' % i, i)
"""
        result = run(any_device, [program], 1, Launch(heap=4 << 20, max_steps=10**9))
        assert names(result) == {"OK"}
        return int(result.steps[0])

    if any_device.name == "cuda" and any_device.local:
        pytest.skip("the build has local arenas")
    few, many = steps(500), steps(16000)
    assert many > 32 * few * 1.5


FILLED = """\
def fill():
    kept = []
    try:
        while True: kept.append([0, 0])
    except MemoryError: pass
    for i in range(3): kept.pop()
    try:
        for i in range(10**6): x = [i]
        return 'goes on'
    except MemoryError:
        return 'full'
print(fill())
print([1, 2])
"""
COLLECTS = """\
import gc
for i in range(100): gc.collect()
print('end')
"""
FAILS = """\
kept = bytearray({half} // 8 * 9)
for i in range(100):
    try: bytearray({half})
    except MemoryError: pass
print('end')
"""


@pytest.mark.parametrize("heap", [48 * KIB, 192 * KIB])
def test_a_heap_that_is_nearly_full_is_full(any_device: Device, heap: int) -> None:
    result = run(any_device, [FILLED], 2, Launch(heap=heap, stdout=256))
    assert result.stdout[1] == b"full\n[1, 2]\n", result.stderr[1]


@pytest.mark.parametrize("source", [COLLECTS, FAILS], ids=["gc.collect()", "failed allocations"])
def test_collections_take_steps_by_the_size_of_the_heap(any_device: Device, source: str) -> None:
    taken = []
    for heap in (64 * KIB, 256 * KIB):
        result = ended(any_device, source.format(half=heap // 2), heap=heap)
        assert result.stdout[0] == b"end\n", result.stderr[0]
        taken.append(int(result.steps[0]))
    blocks = (256 - 64) // 4  # of 4 KiB; the collector's tables take a few of them
    assert 90 * blocks <= taken[1] - taken[0] <= 120 * blocks
