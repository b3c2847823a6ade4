"""Rows that run out of memory run again with more of it, up to a maximum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from porter.base.sizes import KIB, MIB
from porter.cli import execute
from porter.config import LOCAL_MEMORY_LIMIT
from porter.errors import NotEnoughMemory, UsageError, WrongType
from porter.evaluation import Cases, CaseStatus, Judging, growth, judge, portions
from porter.evaluation.growth import InterpreterSizes, suited
from porter.run import Device, Launch, Program, run
from porter.run.footprint import MemoryBudget
from porter.run.launch.options import Phase

from .conftest import Judge

PASSED, MEMORY, RAISED = CaseStatus.PASSED, CaseStatus.OUT_OF_MEMORY, CaseStatus.RAISED
MEMORY_OF = "def solve(n): return len([1] * n)"
DEPTH_OF = "def solve(n): return n and 1 + solve(n - 1)"
NESTED = "def solve(n):\n value = []\n for _ in range(n): value = [value]\n return len(repr(value))"


def cpython(source: str, argument: int) -> Any:
    """Return CPython's result."""
    names: dict[str, Any] = {}
    exec(source, names)
    return names["solve"](argument)


@pytest.mark.parametrize("each", ["case", "program"])
def test_results_are_cpythons_whatever_the_first_size(judged: Judge, each: str) -> None:
    sizes = (1, 3_000, 30_000, 5, 80_000, 7)
    deep = (3, 300, 900, 4, 600, 1)
    pairs = [
        (MEMORY_OF, [((n,), cpython(MEMORY_OF, n)) for n in sizes]),
        (DEPTH_OF, [((n,), cpython(DEPTH_OF, n)) for n in deep]),
    ]
    assert MEMORY in judged(pairs, each=each, heap="32K", max_heap=0).status
    keep = ["values", "tracebacks", "outputs"]
    found = judged(pairs, each=each, heap="32K", max_heap="2M", keep=keep)
    assert found.solved.all() and not found.reasons
    assert found.values == [list(sizes), list(deep)]
    assert found.tracebacks == [[None] * 6] * 2


def test_the_maximum_heap(judged: Judge) -> None:
    cases = [((50_000,), 50_000)]  # a list of 400 KB
    found = judged([MEMORY_OF], cases, heap="32K", max_heap="128K")
    assert found.status.tolist() == [[MEMORY]] and not found.passed.any()
    assert found.reasons == {(0, 0): "out of heap: tried 32K, 128K"}
    found = judged([MEMORY_OF], cases, heap="32K", max_heap="1000K")
    assert found.status.tolist() == [[PASSED]]
    found = judged([MEMORY_OF], cases, heap="32K", max_heap=0)
    assert found.reasons == {(0, 0): "out of heap: tried 32K"}
    found = judged([MEMORY_OF], cases, heap="64K", max_heap="32K")  # never less than the heap
    assert found.reasons == {(0, 0): "out of heap: tried 64K"}


def test_endless_growth_ends(judged: Judge) -> None:
    endless = "def solve():\n a = [0]\n while True: a = a + a"
    found = judged([endless, "def solve(): return solve()"], [((), 0)], heap="48K")
    assert found.status.tolist() == [[MEMORY], [MEMORY]]
    assert found.reasons[0, 0] == "out of heap: tried 48K, 192K, 768K, 3M, 12M"
    assert found.reasons[1, 0].startswith(("out of pystack: tried ", "out of C stack: tried "))


def test_a_program_that_catches_the_error_and_passes_is_not_run_again(judged: Judge) -> None:
    catches = "def solve(n):\n try: return len([0] * n)\n except MemoryError: return -1"
    assert judged([catches], [((10**6,), -1)]).solved.all()
    raises = "def solve(): raise MemoryError('own')"
    assert judged([raises], [((), 0)]).status.tolist() == [[RAISED]]


CATCHES = """\
seen = 0
try: seen = len([0] * {size})
except Exception: seen = -1
def solve(n):
    try: return len([0] * n) + seen
    except Exception as error: return type(error).__name__
"""
CATCHES_DEPTH = """\
def depth(n): return n and 1 + depth(n - 1)
def solve(n):
    try: return depth(n)
    except RecursionError: raise ValueError('deep')
"""


@pytest.mark.parametrize("each", ["case", "program"])
def test_a_program_that_catches_the_error_and_fails_runs_again(judged: Judge, each: str) -> None:
    sources = [(CATCHES.format(size=1), [((n,), n + 1) for n in (5, 30_000, 7, 10**9)])]
    sources += [(CATCHES.format(size=20_000), [((3,), 20_003)])]
    sources += [(CATCHES_DEPTH, [((n,), n) for n in (3, 900, 5)])]
    first = judged(sources, each=each, max_heap=0)
    wrong = CaseStatus.WRONG
    assert first.status[0, :4].tolist() == [PASSED, wrong, PASSED, wrong]
    assert first.status[1, 0] == wrong and first.status[2, 1] == RAISED
    found = judged(sources, each=each)
    # The last case of the first program has the maximum heap and catches the error there too.
    assert found.status[0, :4].tolist() == [PASSED, PASSED, PASSED, wrong]
    assert found.status[1, 0] == PASSED and found.status[2, :3].tolist() == [PASSED] * 3
    assert not found.reasons


def test_a_whole_program_that_catches_the_error(judged: Judge) -> None:
    source = (
        "try:\n    print(len([0] * 30_000))\nexcept Exception as error:\n    print('Error:', error)"
    )
    cases = [{"stdin": "", "stdout": "30000\n"}]
    assert judged([source], cases).solved.all()
    assert not judged([source], cases, max_heap=0).passed.any()
    deep = "def f(): return f()\ntry:\n    f()\nexcept RecursionError:\n    print('deep')"
    for stdout in ("deep\n", None):
        once = judged([deep], [{"stdin": "", "stdout": stdout}])
        assert once.solved.all() and once.steps.max() < 10_000  # it did not run again
    again = judged([deep], [{"stdin": "", "stdout": "other\n"}])
    assert again.status.tolist() == [[CaseStatus.WRONG]] and again.steps.max() > 100_000


def test_a_program_too_large_to_load(judged: Judge) -> None:
    source = "table = [" + "1.5, " * 9000 + "]\ndef solve(k): return table[k]"
    cases = [((k,), 1.5) for k in range(70)]
    assert judged([source], cases, max_heap=0).counts() == {MEMORY: 70}
    assert judged([source], cases).counts() == {PASSED: 70}


def test_later_calls_see_earlier_ones_in_a_larger_interpreter(judged: Judge) -> None:
    source = "kept = []\ndef solve(n):\n kept.append([n] * n)\n return len(kept)"
    cases = [((n,), i + 1) for i, n in enumerate((10, 20_000, 10, 20_000))]
    assert judged([source], cases, each="program", heap="32K").solved.all()


def test_launches_hold_the_rows_that_fit(
    any_device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def two(device: Device, how: Judging) -> int:
        asked.append(how.sizes["heap"])
        return 2

    monkeypatch.setattr(growth, "rows_at_once", two)
    cases = Cases.of([((30_000,), 30_000)] * 5)
    (portion,) = portions([MEMORY_OF], cases, rows=100, most=100)
    how = Judging(sizes={"heap": "32K"})
    judgement = judge(any_device, portion, how)
    assert judgement.status.tolist() == [PASSED] * 5
    assert asked == [128 * KIB, 512 * KIB]

    def refused(device: Device, how: Judging) -> int:
        raise NotEnoughMemory("too large")

    monkeypatch.setattr(growth, "rows_at_once", refused)
    judgement = judge(any_device, portion, how)
    assert judgement.status.tolist() == [MEMORY] * 5
    (reason,) = set(judgement.reasons.values())
    assert reason.startswith("out of heap: tried 32K; heap 128K, pystack ")
    assert reason.endswith(" do not fit: too large")


def test_sizes_grow_to_their_maxima() -> None:
    sizes = InterpreterSizes(48 * KIB, 24 * KIB, 32 * KIB)
    assert sizes.larger("heap", 3 * MIB) == InterpreterSizes(192 * KIB, 24 * KIB, 32 * KIB)
    assert sizes.larger("heap", 100_001) == InterpreterSizes(100_000, 24 * KIB, 32 * KIB)
    assert sizes.larger("heap", 48 * KIB) is None
    for option, most in (("stack", 4 * MIB), ("pystack", 16 * MIB)):
        larger, found = sizes.larger(option, 0), [getattr(sizes, option)]
        while larger is not None:
            found.append(getattr(larger, option))
            larger = larger.larger(option, 0)
        assert found[1:-1] == [4**k * found[0] for k in range(1, len(found) - 1)]
        assert found[-1] == most


DEEP = """\
import sys, functools
sys.setrecursionlimit(10**6)

def plain(n):
    return 0 if n == 0 else 1 + plain(n - 1)

@functools.lru_cache(None)
def cached(n):
    return n if n < 2 else cached(n - 1) + cached(n - 2)

def nested(n):
    value = []
    for _ in range(n):
        value = [value]
    return len(repr(value))
"""


def test_deep_recursion(judged: Judge) -> None:
    for entry, cases in (
        ("plain", [((n,), n) for n in (100, 5_000, 100_000)]),
        ("cached", [((n,), n) for n in (5_000,)]),
        ("nested", [((n,), 2 * n + 2) for n in (5_000,)]),
    ):
        compare = (lambda *_: True) if entry == "cached" else "equal"
        found = judged([DEEP], cases, entry=entry, compare=compare)
        assert found.passed.all(), (entry, found.counts(), found.reasons)


def test_a_deep_recursion_that_collects_garbage_takes_steps(judged: Judge) -> None:
    source = """\
def solve(n):
    if n:
        return solve(n - 1)
    for i in range(20_000):
        [i]
    return "end"
"""
    found = judged([source], [((n,), "end") for n in (10, 50_000)], each="case", heap="32K")
    assert found.passed.all()
    shallow, deep = found.steps[0].tolist()
    assert deep - 50_000 > 2 * shallow


@pytest.mark.parametrize(
    ("value", "error"), [("x", UsageError), (-1, UsageError), (10, UsageError), (1.5, WrongType)]
)
def test_invalid_maxima(judged: Judge, value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="heap"):
        judged([MEMORY_OF], [((1,), 1)], max_heap=value)


def test_the_command(built: Any, tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.py").write_text(MEMORY_OF)
    (tmp_path / "cases.jsonl").write_text("[[50000], 50000]\n")
    out = tmp_path / "rows.jsonl"
    argv = ["evaluate", str(tmp_path / "a.py"), str(tmp_path / "cases.jsonl")]
    argv[1] = str(tmp_path)
    options = ["--build", str(built.folder), "--out", str(out), "--heap", "32K"]
    assert execute([*argv, *options]) == 0 and "1 solved" in capsys.readouterr().out
    assert execute([*argv, *options, "--max-heap", "64K"]) == 0
    assert "1 OUT_OF_MEMORY" in capsys.readouterr().out
    assert '"reason": "out of heap: tried 32K, 64K"' in out.read_text()
    assert execute([*argv, *options, "--max-heap", "1"]) == 2
    assert execute(["evaluate", "--help"]) == 0 and "[12M]" in capsys.readouterr().out


class Local:
    """A host twin that claims local arenas, as a GPU's device has them."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.local = True
        self.figures = device.figures.on_gpu(local=True, stack=device.built.config["stack"])

    def __getattr__(self, name: str) -> Any:
        return getattr(self.device, name)


def test_interpreters_beyond_local_memory_run_on_the_host(any_device: Device) -> None:
    local: Any = Local(any_device)
    small = Judging(sizes={"heap": 64 * KIB})
    assert suited(local, small) is local and suited(any_device, small) is any_device
    for sizes in ({"heap": MIB}, {"stack": 64 * KIB}):
        twin = suited(local, Judging(sizes=dict(sizes)))
        assert twin.name == "host" and not twin.local
        assert suited(local, Judging(sizes=dict(sizes))) is twin


def test_the_refusal_names_local_memory(any_device: Device) -> None:
    local: Any = Local(any_device)
    with pytest.raises(NotEnoughMemory, match=r"local arenas, and a GPU has 512K of it") as caught:
        run(local, [Program("1")], 10, Launch(heap=MIB), Phase())
    assert "--arena global" in str(caught.value.hint) and LOCAL_MEMORY_LIMIT == 512 * KIB
    budget = MemoryBudget(10 * MIB, 20 * MIB)
    with pytest.raises(NotEnoughMemory, match=r"resident threads takes 20M .* and 10M are free"):
        budget.check(10, 2128, "--heap")
    assert np.isclose(budget.left, 0)
