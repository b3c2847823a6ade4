"""Counts are exact and reproducible."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from porter.errors import UsageError
from porter.fs import Image
from porter.native.code import compile_code
from porter.profiling import FunctionCounts, Profile, profile
from porter.profiling.line_profile import lanes_at_most, read
from porter.run import Launch, open_device, run
from porter.run.launch.counters import Counting
from porter.run.launch.options import Phase
from tests.profiling.conftest import Profiled, instructions

if TYPE_CHECKING:
    from porter.pipeline import Build

pytestmark = pytest.mark.xdist_group("counting build")

LOOP = """\
def f(k):
    t = 0
    for i in range(k):
        t += i
    return t
f({k})
"""
RECURSION = """\
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)
fib({n})
"""


def function(found: Profile, name: str) -> FunctionCounts:
    (one,) = [each for each in found.functions if each.name == name]
    return one


def test_a_loop_counts_as_often_as_it_turns(profiled: Profiled) -> None:
    few, more, most = (instructions(profiled(LOOP.format(k=k))) for k in (1000, 1001, 51_000))
    a_turn = {line: more[line] - few[line] for line in few}
    assert all(a_turn[line] > 0 for line in (3, 4))
    assert all(a_turn[line] == 0 for line in (1, 2, 5, 6))
    # Through the fast path's fused instructions, and past windows of polls.
    assert {line: most[line] - few[line] for line in few} == {
        line: 50_000 * turn for line, turn in a_turn.items()
    }


def test_counts_repeat(profiled: Profiled) -> None:
    source = LOOP.format(k=100) + RECURSION.format(n=9) + "x = [str(i) for i in range(99)]\n"
    runs = [profiled(source, 40) for _ in range(2)]
    one, two = ([(line.line, line.counts, line.lanes) for line in run.lines] for run in runs)
    for first, second in zip(one, two, strict=True):
        assert first[0] == second[0]
        assert first[2] == second[2]
        for name in ("instructions", "allocations", "bytes", "collections"):
            assert getattr(first[1], name) == getattr(second[1], name)


def test_interpreters_add_up(profiled: Profiled) -> None:
    source = LOOP.format(k=50)
    alone, many = profiled(source), profiled(source, 70)
    assert instructions(many) == {line: 70 * n for line, n in instructions(alone).items()}
    assert function(many, "f").calls == 70
    assert (many.n, many.counted) == (70, 70)


def test_recursion_is_one_function(profiled: Profiled) -> None:
    found = profiled(RECURSION.format(n=10))
    fib = function(found, "fib")
    assert fib.calls == 177
    assert fib.own == fib.total
    assert function(found, "<module>").total == found.total
    assert max(len(stack.functions) for stack in found.stacks) == 2


def test_functions_of_one_name_count_once_in_a_path(profiled: Profiled) -> None:
    # Both have one file, name and line, so they are one function of the profile.
    found = profiled("f = lambda: (lambda: 1 + threadIdx)()\nfor i in range(5): f()\n")
    both = function(found, "<lambda>")
    assert both.calls == 10
    assert both.total == both.own


def test_mutual_recursion_deeper_than_the_table(profiled: Profiled) -> None:
    source = (
        "def a(n):\n    return n and b(n - 1)\ndef b(n):\n    return n and a(n - 1)\n"
        "a(600)\na(600)\n"
    )
    found = profiled(source, pystack="200K", stack="64K")
    assert found.result is not None and found.result.status.tolist() == [0]
    assert function(found, "a").calls + function(found, "b").calls >= 2 * 601
    lines = instructions(found)
    assert lines[2] > lines[4] > 0


def test_generators(profiled: Profiled) -> None:
    source = """\
def g(k):
    for i in range(k):
        yield i
total = 0
for x in g(100):
    total += x
list(g(10))
def outer():
    yield from g(5)
sum(outer())
"""
    found = profiled(source)
    g = function(found, "g")
    assert g.calls == 101 + 11 + 6
    ways = {tuple(name for _, name, _ in s.functions) for s in found.stacks}
    assert ("<module>", "g") in ways
    assert ("<module>", "outer", "g") in ways
    assert not any("g" in way[:-1] for way in ways)


def test_exceptions_leave_functions(profiled: Profiled) -> None:
    """Code that runs after an exception is not counted as a call of the function that raised it."""
    source = """\
def raises():
    raise ValueError
def middle():
    raises()
def after():
    return 1
def key(x):
    after()
    return 1 // x
for i in range(3):
    try:
        middle()
    except ValueError:
        after()
    try:
        sorted([1, 0], key=key)
    except ZeroDivisionError:
        after()
"""
    ways = {
        tuple(name for _, name, _ in stack.functions): stack for stack in profiled(source).stacks
    }
    assert set(ways) == {
        ("<module>",),
        ("<module>", "middle"),
        ("<module>", "middle", "raises"),
        ("<module>", "after"),
        ("<module>", "key"),
        ("<module>", "key", "after"),
    }


def test_functions_that_c_code_calls_one_after_the_other(profiled: Profiled) -> None:
    source = """\
def g():
    for i in (3, 1, 2):
        yield i
def key(x):
    return -x
class C:
    def __init__(self, x):
        self.x = x
    def __lt__(self, other):
        return self.x < other.x
print(sorted(g(), key=key), list(map(key, g())), len(sorted(C(i) for i in g())))
"""
    found = profiled(source)
    ways = {tuple(name for _, name, _ in stack.functions) for stack in found.stacks}
    assert ("<module>", "key") in ways
    assert ("<module>", "g", "key") not in ways
    assert ("<module>", "__lt__") in ways
    assert ("<module>", "<genexpr>", "__init__") in ways
    assert function(found, "key").calls == 6


def test_allocations_go_to_their_lines(profiled: Profiled) -> None:
    source = "def f():\n    x = 1\n    y = [x]\n    return y\nfor i in range(100):\n    f()\n"
    counts = {line.line: line.counts for line in profiled(source).lines}
    assert counts[3].allocations == 200  # the list and its items
    assert counts[3].bytes >= 100 * 32
    assert counts[2].allocations == counts[4].allocations == 0


def test_collections_go_to_their_lines(profiled: Profiled) -> None:
    source = "import gc\ngc.collect()\nx = 1\nfor i in range(3):\n    gc.collect()\n"
    counts = {line.line: line.counts.collections for line in profiled(source).lines}
    assert (counts[2], counts[3], counts[5]) == (1, 0, 3)
    grown = profiled("def f():\n    for i in range(9999):\n        [i]\nf()\n", heap="16K")
    assert {line.line for line in grown.lines if line.counts.collections} == {3}


def test_code_at_the_address_of_code_that_is_gone(profiled: Profiled) -> None:
    """Code is compiled repeatedly at addresses of freed code, and each keeps its own lines."""
    source = """\
import gc
for i in range(6):
    exec("\\n" * i + "def f%d():\\n    return %d\\nf%d()\\n" % (i, i, i))
    exec("del f%d" % i)
    gc.collect()
"""
    found = profiled(source)
    names = {each.name: each for each in found.functions}
    for i in range(6):
        assert names[f"f{i}"].calls == 1
        assert names[f"f{i}"].line == i + 2


def test_imports_from_an_image_and_frozen_modules(profiled: Profiled) -> None:
    image = Image.empty(64 << 10)
    image.write("lib/helper.py", b"def helps(x):\n    return x + 1\n")
    image.write("other.py", b"import helper\nhelper.helps(1)\n")
    source = "import other, asyncio\nasync def f():\n    pass\nasyncio.run(f())\n"
    found = profiled(source, files=image)
    assert found.result is not None and found.result.status.tolist() == [0]
    files = {line.file for line in found.lines}
    assert any(file.endswith("lib/helper.py") for file in files)
    assert "asyncio/core.py" in files
    known = next(text for file, text in found.sources.items() if file.endswith("lib/helper.py"))
    assert known.startswith("def helps")
    (helps,) = [each for each in found.functions if each.name == "helps"]
    assert helps.file.endswith("lib/helper.py")


def test_code_that_interpreters_share(counting: Build) -> None:
    source = LOOP.format(k=100)
    device = open_device(counting.folder, "host")
    code = compile_code(device, Launch(), source.encode(), "<string>", "file")
    alone = read(device, run(device, [source], 1, Launch(counting=Counting())), 1)
    launch, phase = Launch(counting=Counting()), Phase(compiled=code.memory)
    shared = read(device, run(device, [], 1, launch, phase), 1)
    assert alone.full == shared.full == 0
    assert instructions(shared) == instructions(alone)
    assert function(shared, "f").calls == 1


def test_diverging_lines(profiled: Profiled) -> None:
    source = """\
x = 0
for i in range(100):
    x += 1
if threadIdx % 8 == 0:
    for i in range(1000):
        x += 1
else:
    for i in range(100 * (threadIdx % 2)):
        x += 2
"""
    lines = {line.line: line for line in profiled(source, 64).lines}
    assert (lines[3].lanes, lines[3].whole, lines[3].diverges) == (32, 32, False)
    assert (lines[6].lanes, lines[6].diverges) == (4, True)
    assert lines[9].lanes == pytest.approx(16, abs=0.5)
    assert not lines[9].diverges


def test_lanes_of_a_last_warp_that_is_not_full() -> None:
    assert lanes_at_most(np.array([2, 2, 2, 1]), 3) == (7 / 3, 7 / 3)
    assert lanes_at_most(np.array([0, 0]), 3) == (1.0, 1.0)


def test_only_some_interpreters_count(profiled: Profiled) -> None:
    whole = profiled(LOOP.format(k=10), 100)
    counting = Counting(counter_buffer=512 << 10, total=64 * (512 << 10))
    part = profiled(LOOP.format(k=10), 100, launch=Launch(counting=counting))
    assert (whole.counted, part.counted, part.n) == (100, 64, 100)
    assert function(part, "f").calls == 64


@pytest.mark.parametrize(
    ("n", "total", "share"),
    [(1, 1, (1, 1)), (32, 1, (32, 1)), (100, 1, (32, 4)), (100, 64, (64, 2)), (64, 64, (64, 1))],
)
def test_whole_warps_are_chosen_from_all_over(n: int, total: int, share: tuple[int, int]) -> None:
    assert Counting(counter_buffer=64 << 10, total=total * (64 << 10)).share(n) == share


def test_too_little_room_is_said(profiled: Profiled) -> None:
    source = "\n".join(f"def f{i}():\n    return {i} + {i} * {i}\nf{i}()" for i in range(200))
    whole, part = (profiled(source, heap="512K", counter_buffer=size) for size in ("1M", "96K"))
    assert (whole.full, part.full) == (0, 1)
    assert len(part.functions) < len(whole.functions)
    assert {line.line for line in part.lines} <= {line.line for line in whole.lines}
    for size in (64, "2G"):
        with pytest.raises(UsageError, match="counter_buffer"):
            profiled("pass", counter_buffer=size)


def test_samples_disturb_no_count(profiled: Profiled) -> None:
    """Interpreters with equal work have equal counts, also with frequent short calls."""
    source = """\
def f():
    return g()
def g():
    return 1
for i in range(20000):
    f()
"""
    found = profiled(source, 64)
    assert found.samples > 100
    assert [line.lanes for line in found.lines] == [32] * len(found.lines)
    assert instructions(found) == {n: 64 * k for n, k in instructions(profiled(source)).items()}


def test_steps_are_as_they_were(profiled: Profiled) -> None:
    source = LOOP.format(k=3000) + RECURSION.format(n=8)
    counted = profiled(source)
    assert counted.result is not None
    steps = int(counted.result.steps[0])
    for limit, status in ((steps, 0), (steps - 1, 9)):
        again = profiled(source, launch=Launch(max_steps=limit))
        assert again.result is not None and again.result.status.tolist() == [status]


def test_time_is_where_the_work_is(profiled: Profiled) -> None:
    source = "x = 0\nfor i in range(300000):\n    x += i * i % 7\ny = 1\n"
    found = profiled(source)
    assert found.samples > 0
    share = {line.line: line.share or 0.0 for line in found.lines}
    assert share[2] + share[3] > 0.9
    assert sum(share.values()) == pytest.approx(1)


def test_a_build_that_does_not_count_is_refused(built) -> None:
    with pytest.raises(UsageError, match="does not count"):
        profile("pass", build=built.folder)
