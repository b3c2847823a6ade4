"""The CPython fallback of evaluations: UNSUPPORTED rows have CPython's results, and a mark."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from porter import evaluate
from porter.cli import execute
from porter.errors import FallbackUnavailable, LaunchInterrupted, UsageError, WrongType
from porter.evaluation import Cases, CaseStatus, Cause, Evaluation, Judging, Tolerance, judge
from porter.evaluation.execution import judgements
from porter.evaluation.judgement import judge_in_cpython
from porter.evaluation.portion import Cutter, Portion
from porter.fallback import Fallback, pool
from porter.run import Cancel, Device
from tests.restricted import skip_unless_restricted

from .conftest import Judge

PASSED, WRONG, RAISED, EXITED, NO_ENTRY, UNSUPPORTED = (
    CaseStatus.PASSED, CaseStatus.WRONG, CaseStatus.RAISED, CaseStatus.EXITED, CaseStatus.NO_ENTRY,
    CaseStatus.UNSUPPORTED,
)  # fmt: skip
LACK = "import _thread\n"  # CPython has this module, and interpreters lack it
ADD = LACK + "def solve(a, b=0): return a + b"
FALLBACK = Fallback(deadline=20.0)


@pytest.fixture(scope="module", autouse=True)
def _restricted() -> None:
    skip_unless_restricted(FALLBACK)


def test_off_by_default(judged: Judge) -> None:
    found = judged([ADD], [((1, 2), 3)])
    assert found.status.tolist() == [[UNSUPPORTED]] and not found.in_cpython.any()


# A program, the case, and the expected status.
CALLS: list[tuple[str, tuple[Any, ...], Any, CaseStatus]] = [
    ("def solve(a, b): return a + b", (1, 2), 3, PASSED),
    ("def solve(a, b): return a + b", (1, 2), 4, WRONG),
    ("def solve(a, b): return a + b", (1, "x"), 4, RAISED),
    ("def solve(a, b): return [a, {b: float('nan')}]", (1, 2), [1, {2: float("nan")}], PASSED),
    ("def solve(a, b): return (a, b)", (1, 2), [1, 2], WRONG),
    ("def solve(a, b): return {a, b}", (1, 2), {2, 1}, PASSED),
    ("def solve(a, b): return a + 1e-12", (1, 2), 1.0, WRONG),
    ("class L(list): pass\ndef solve(a, b): return L([a, b])", (1, 2), [1, 2], PASSED),
    ("class A:\n def __eq__(s, o): return True\ndef solve(a, b): return A()", (1, 2), 3, WRONG),
    ("def solve(a, b): return bytearray(a) + b", (b"a", bytearray(b"b")), b"ab", PASSED),
    ("def solve(a, b): return '\\ud800'", (1, 2), "x", WRONG),
    ("import sys\ndef solve(a, b): sys.exit(0)", (1, 2), 3, EXITED),
    ("import os\ndef solve(a, b): os._exit(0)", (1, 2), 3, EXITED),
    ("def other(a, b): return a + b", (1, 2), 3, NO_ENTRY),
    ("solve = 3", (1, 2), 3, NO_ENTRY),
    ("1 // 0", (1, 2), 3, RAISED),
    ("def solve(a, b): return [0] * (1 << 50)", (1, 2), 3, CaseStatus.OUT_OF_MEMORY),
    ("def solve(a, b): raise MemoryError", (1, 2), 3, RAISED),
    ("def solve(a, b): return solve(a, b)", (1, 2), 3, CaseStatus.OUT_OF_MEMORY),
    ("def solve(a, b): raise RecursionError", (1, 2), 3, RAISED),
    ("def solve(a, b):\n print('x' * 99999)\n return 3", (1, 2), 3, CaseStatus.OUT_OF_OUTPUT),
    ("class Solution:\n def add(self, a, b): return a + b", (1, 2), 3, PASSED),
    ("import socket\ndef solve(a, b): return 3", (1, 2), 3, UNSUPPORTED),
    ("import nowhere\ndef solve(a, b): return 3", (1, 2), 3, RAISED),
    ("try: import socket\nexcept ImportError: pass\ndef solve(a, b): return 3", (1, 2), 3, PASSED),
]  # fmt: skip


@pytest.mark.parametrize("each", ["case", "program"])
def test_calls(judged: Judge, each: str) -> None:
    programs = [(LACK + source, [(args, wanted)] * 2) for source, args, wanted, _ in CALLS]
    keep = ["values", "outputs", "tracebacks", "exceptions"]
    found = judged(programs, fallback=FALLBACK, each=each, keep=keep)
    for p, (source, _, _, status) in enumerate(CALLS):
        names = [CaseStatus(one).name for one in found.status[p].tolist()]
        assert names == [status.name] * 2, (source, found.reasons.get((p, 0)))
    assert (found.in_cpython == (found.status != UNSUPPORTED)).all()
    assert not found.steps[found.in_cpython].any()
    assert found.values is not None and found.values[0] == [3, 3]
    assert found.exceptions is not None and found.exceptions[2][0] is not None
    assert found.exceptions[2][0].type == "TypeError"
    assert found.tracebacks is not None and "line 2, in solve" in str(found.tracebacks[2][0])
    refused = next(p for p, one in enumerate(CALLS) if one[3] == UNSUPPORTED)
    assert found.reasons[refused, 0] == "the fallback does not permit the module socket"
    assert found.causes[0, 0] == Cause("module", "", "_thread")
    assert found.unsupported() == {Cause("module", "", "_thread"): 1}
    assert f"; {found.in_cpython.sum()} in CPython" in repr(found)
    assert (judged(programs, fallback=FALLBACK, each=each).status == found.status).all()


def test_a_function_or_a_tolerance_compares(judged: Judge) -> None:
    third = LACK + "def solve(x): return x / 3"
    found = judged([third], [((1,), 0.333333)], compare=1e-5, fallback="cpython")
    assert found.solved.all() and found.in_cpython.all()
    seen: list[Any] = []

    def compare(value: Any, expected: Any) -> bool:
        seen.append((value, expected))
        return bool(value == 1)

    sources = [LACK + f"def solve(): return {text}" for text in ("1", "2", "(lambda: 1)")]
    found = judged([*sources, "def solve(): return 1"], [((), 5)], compare=compare,
                   fallback="cpython")  # fmt: skip
    assert found.passed[:, 0].tolist() == [True, False, False, True]
    assert seen[0] == (1, 5) and found.in_cpython[:, 0].tolist() == [True, True, True, False]
    loop = LACK + "def solve():\n a = []\n a.append(a)\n return a"
    found = judged([loop], [((), 5)], compare=compare, fallback="cpython")
    assert found.status.tolist() == [[CaseStatus.NOT_COMPARED]] and "deep" in found.reasons[0, 0]


def test_whole_programs(judged: Judge) -> None:
    sources = {
        "print(2 * int(input()))": PASSED,
        "import sys\nprint(2 * int(sys.stdin.readline()), ' ')\nsys.exit()": PASSED,
        "import os\nprint(2 * int(os.read(0, os.fstat(0).st_size)), flush=True)\nos._exit(0)":
            PASSED,
        "import threading as t\nt.Thread(target=lambda: print(2 * int(input()))).start()": PASSED,
        "import atexit\natexit.register(print, 42)": PASSED,
        "if __name__ == '__main__': print(42)": PASSED,
        "print(41)": WRONG,
        "print(42)\nraise SystemExit(1)": EXITED,
        "print(42)\nexit()": PASSED,
        "print(42)\n1 // 0": RAISED,
        "input()\ninput()": RAISED,
        "print(42)\nimport socket": UNSUPPORTED,
    }  # fmt: skip
    found = judged([LACK + one for one in sources], [{"stdin": "21\n", "stdout": "42\n"}],
                   fallback="cpython", keep="outputs")  # fmt: skip
    assert dict(zip(sources, map(CaseStatus, found.status[:, 0].tolist()), strict=True)) == sources
    assert found.outputs is not None and found.outputs[0] == [b"42\n"]


def test_stderr_and_exit_codes_are_those_of_interpreters(judged: Judge) -> None:
    sources = [
        "import sys\nsys.stderr.write('e')\nsys.exit(3)",
        "import sys\nsys.exit('why')",
        "raise SystemExit",
        "print(1)",
        "1 / 0",
        "import sys\nsys.stderr.write('\\xe4' * 9000)",
        "raise ValueError('\\ud800')",
    ]
    keep = ("stderr", "exit_codes")
    own = judged(sources, [{"stdin": ""}], keep=keep)
    found = judged([LACK + one for one in sources], [{"stdin": ""}], keep=keep, fallback="cpython")
    assert found.in_cpython.all() and (found.status == own.status).all()
    assert found.exit_codes == own.exit_codes and found.stderr is not None
    texts = [row[0] for row in found.stderr]
    assert own.stderr is not None and texts[:4] == [row[0] for row in own.stderr[:4]]
    assert texts[4].endswith(b"line 2, in <module>\nZeroDivisionError: division by zero\n")
    assert len(texts[5]) == 16384 and texts[6].endswith(b"ValueError: \\ud800\n")


def test_programs_that_test_themselves(judged: Judge) -> None:
    unittest = (
        "import unittest\nclass T(unittest.TestCase):\n def test(self): self.assertEqual({}, 1)\n"
        "if not unittest.main(exit=False).result.wasSuccessful(): raise AssertionError"
    )
    sources = {
        "assert 1 + 1 == 2": PASSED,
        "assert 1 + 1 == 3": RAISED,
        "def check(f):\n assert f(2) == 4\ndef f(x): return x * x\ncheck(f)": PASSED,
        unittest.format(1): PASSED,
        unittest.format(2): RAISED,
        "raise SystemExit(0)": EXITED,
        "import os\nos._exit(0)": EXITED,
    }
    found = judged([LACK + one for one in sources], [{"stdin": ""}], fallback="cpython")
    assert dict(zip(sources, map(CaseStatus, found.status[:, 0].tolist()), strict=True)) == sources


@pytest.mark.parametrize("each", ["case", "program"])
def test_output_belongs_to_its_call(judged: Judge, each: str) -> None:
    source = "print('load' * 9)\ndef solve(x):\n print('call' * 8, x)\n return x"
    cases = [((x,), x) for x in range(3)]
    own = judged([source], cases, each=each, keep="outputs", stdout=64)
    found = judged([LACK + source], cases, each=each, keep="outputs", stdout=64, fallback="cpython")
    assert found.outputs == own.outputs and (found.status == own.status).all()
    assert found.in_cpython.all()


def test_a_method_and_kwargs(judged: Judge) -> None:
    source = LACK + "class Solution:\n def one(self, a, *, b): return a - b\n def two(self): pass"
    case = {"args": [5], "kwargs": {"b": 2}, "expected": 3}
    assert judged([source], [case], entry="Solution.one", fallback="cpython").solved.all()


def test_calls_of_one_program_share_globals(judged: Judge) -> None:
    source = LACK + "n = 0\ndef solve():\n global n\n n += 1\n return n"
    cases = [((), 1), ((), 2), ((), 3)]
    assert judged([source], cases, each="program", fallback="cpython").solved.all()
    found = judged([source], cases, each="case", fallback="cpython")
    assert found.passed.tolist() == [[True, False, False]]
    mixed = "n = 0\ndef solve(x):\n global n\n n += 1\n if x: import _thread\n return n"
    given = [((0,), 1), ((1,), 2), ((0,), 3)]
    found = judged([mixed], given, each="program", fallback="cpython")
    assert found.in_cpython.tolist() == [[False, True, False]] and found.passed[0, :2].all()


def test_limits(judged: Judge) -> None:
    endless = LACK + "def solve():\n while True: pass"
    found = judged([endless, endless], [((), 1)], deadline=[0.5, 0.7], fallback=FALLBACK)
    assert (found.status == CaseStatus.OUT_OF_TIME).all() and found.in_cpython.all()
    found = judged([endless], [((), 1)], fallback=Fallback(deadline=0.5))
    assert found.status.tolist() == [[CaseStatus.OUT_OF_TIME]]
    large = LACK + "def solve(): return len(bytes(400 << 20))"
    wanted = [((), 400 << 20)]
    assert judged([large], wanted, fallback=FALLBACK).solved.all()
    small = Fallback(memory="256M")
    assert judged([large], wanted, fallback=small).status[0, 0] == CaseStatus.OUT_OF_MEMORY


def test_more_modules(judged: Judge) -> None:
    source = "import ctypes, numpy\ndef solve(): return int(numpy.arange(4).sum())"
    found = judged([source], [((), 6)], fallback="cpython")
    assert found.status.tolist() == [[UNSUPPORTED]]
    own = Fallback(modules=("numpy", "ctypes"), deadline=60.0)
    assert judged([source], [((), 6)], fallback=own).solved.all()
    # A module that is not in the standard library is unsupported, not wrong.
    source = "import numpy\ndef solve(): return int(numpy.arange(4).sum())"
    assert judged([source], [((), 6)], fallback=own).solved.all()
    assert judged([source], [((), 6)]).status.tolist() == [[RAISED]]


def test_runs_repeat(judged: Judge) -> None:
    source = (
        LACK + "import random\ndef solve(): return [random.random(), list({'a', 'b', 'c', 'd'})]"
    )
    values = [judged([source], [((), 1)] * 2, fallback="cpython", keep="values", seed=3).values
              for _ in range(2)]  # fmt: skip
    assert values[0] == values[1] and values[0] is not None and values[0][0][0] == values[0][0][1]


def test_invalid_options(judged: Judge, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'pypy' is not 'cpython'"):
        judged([ADD], [((1, 2), 3)], fallback="pypy")
    with pytest.raises(WrongType, match="fallback: bool"):
        judged([ADD], [((1, 2), 3)], fallback=True)
    with pytest.raises(UsageError, match="no files"):
        judged([ADD], [((1, 2), 3)], fallback="cpython", files=tmp_path)
    for options in ({"memory": "1M"}, {"deadline": 0}, {"processes": 0}, {"modules": ("a b",)}):
        with pytest.raises(UsageError):
            Fallback(**options)
    with pytest.raises(WrongType):
        Fallback(modules=(3,))


def test_a_machine_that_cannot_restrict(judged: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    pool.close_all()
    monkeypatch.setattr(pool, "filter_of", lambda machine: b"")
    with pytest.raises(FallbackUnavailable, match="does not filter"):
        judged([ADD], [((1, 2), 3)], fallback="cpython")
    monkeypatch.setattr(pool, "filter_of", lambda machine: None)
    with pytest.raises(FallbackUnavailable, match="needs Linux"):
        judged([ADD], [((1, 2), 3)], fallback="cpython")


def test_streams_and_interruption(any_device: Device) -> None:
    """A generator is read in portions, and Ctrl-C keeps the portions that are done."""
    read = 0

    def programs() -> Iterator[str]:
        nonlocal read
        for k in range(1_000_000):
            read += 1
            yield LACK + f"def solve(): return {k}"

    how = Judging(fallback=FALLBACK)
    found = judgements(any_device, programs(), Cases.of([((), 1)]), how, batch=4)
    first = [next(found), next(found)]
    assert [one.first for one in first] == [0, 4] and read < 100
    assert first[0].status.tolist() == [WRONG, PASSED, WRONG, WRONG]

    def endless() -> Iterator[str]:
        yield ADD
        yield LACK + "while True: pass"

    done: list[int] = []
    begin = time.monotonic()
    cancel = Cancel()
    own = Judging(fallback=Fallback(deadline=60.0), cancel=cancel)
    threading.Timer(1.0, cancel).start()
    with pytest.raises(LaunchInterrupted):
        for one in judgements(any_device, endless(), Cases.of([((1, 2), 3)]), own, batch=1):
            done.append(one.first)
    assert done == [0] and time.monotonic() - begin < 20


def both(device: Device, sources: list[Any], cases: Any = None, **options: Any) -> list[Evaluation]:
    """Return the evaluations of programs in interpreters, and in CPython."""
    how = Judging(fallback=FALLBACK, keep=("values",), **options)
    shared = None if cases is None else Cases.of(cases)
    found = []
    for run in (judge, judge_in_cpython):
        cutter = Cutter(sources, shared, most=1000)
        portions: list[Portion] = []
        while (portion := cutter.next(10_000)) is not None:
            portions.append(portion)
        found.append(Evaluation.of([run(device, one, how) for one in portions]))
    return found


AGREEING = [
    "def solve(x): return x",
    "def solve(x): return [x, (x, {x: None})]",
    "def solve(x): return sorted(str(x))",
    "def solve(x): return x * 2 if x else 1 // 0",
    "def solve(x): return {str(x): bytes([x]), 'y': {x, 1.5}}",
    "def solve(x): return x / 7",
    "def solve(x): return 7 ** (x * 30)",
    "def solve(x): return f'{x:>8}|{x!r}|{x:.3f}'",
    "def solve(x): return [k for k in range(x) if k % 2]",
    "def solve(x): return complex(x, 1)",
    "def solve(x):\n def g():\n  yield x\n  yield from range(x)\n return list(g())",
    "class A:\n def __init__(self, x): self.x = x\ndef solve(x): return A(x).x",
    "class I(int): pass\nclass D(dict): pass\ndef solve(x): return [I(x), D(a=I(x))]",
    "import math\ndef solve(x): return math.sqrt(x)",
    "from collections import Counter\ndef solve(x): return Counter('a' * x)",
    "def solve(x): raise ValueError(x)",
    "import sys\ndef solve(x): sys.exit(x)",
    "solve = None",
    "def solve(x: return x",
    "def solve(x): return object",
    "def solve(x): return 'a' * x == 'aaa', -0.0, float('inf')",
]


@pytest.mark.parametrize("compare", ["equal", Tolerance(1e-9)])
def test_both_engines_agree(any_device: Device, compare: Any) -> None:
    expected = [0, 3, "3", [3, (3, {3: None})], ["3"], 3 / 7, 7**90, complex(3, 1), {"a": 3}]
    cases = [((x,), value) for x in (0, 3) for value in expected]
    own, other = both(any_device, AGREEING, cases, compare=compare)
    assert other.in_cpython.all() and not own.in_cpython.any()
    assert np.array_equal(own.status, other.status)
    assert own.values is not None and other.values is not None
    same = [repr(a) == repr(b) for a, b in zip(own.values, other.values, strict=True)]
    assert [source for source, one in zip(AGREEING, same, strict=True) if not one] in (
        [], ["def solve(x): return object"]
    )  # fmt: skip


def test_rows_of_the_command(
    built: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    programs, cases = tmp_path / "programs.jsonl", tmp_path / "cases.jsonl"
    programs.write_text("".join(json.dumps(one) + "\n" for one in (
        ADD, "def solve(a, b): return 3", LACK + "import socket\ndef solve(a, b): return 3"
    )))  # fmt: skip
    cases.write_text(json.dumps([[1, 2], 3]) + "\n")
    out = tmp_path / "out.jsonl"
    command = ["evaluate", str(programs), str(cases), "--build", str(built.folder)]
    command += ["--target", "host"]
    assert execute([*command, "--out", str(out), "--fallback", "cpython"]) == 0
    printed = capsys.readouterr().out
    assert "         1 in CPython\n" in printed and "1 program could not import _thread" in printed
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["engine"] for row in rows] == ["cpython", "interpreter", "interpreter"]
    assert [row["status"] for row in rows] == ["PASSED", "PASSED", "UNSUPPORTED"]
    assert [row["lacks_name"] for row in rows] == ["_thread", None, "_thread"]
    assert rows[0]["reason"] is None
    assert rows[2]["reason"] == (
        "could not import _thread; the fallback does not permit the module socket"
    )
    assert execute([*command, "--out", str(out)]) == 0
    assert "engine" not in json.loads(out.read_text().splitlines()[0])
    assert execute([*command, "--fallback-memory", "1G"]) == 2
    assert "--fallback-memory: it needs --fallback cpython" in capsys.readouterr().err
    parquet = pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "out.parquet"
    more = ["--fallback", "cpython", "--fallback-module", "socket", "--fallback-deadline", "20"]
    assert execute([*command, "--out", str(out), *more, "--fallback-memory", "1G"]) == 0
    table = parquet.read_table(out).to_pydict()
    assert table["engine"] == ["cpython", "interpreter", "cpython"]
    assert table["status"] == ["PASSED"] * 3


def test_evaluate_opens_a_device(built: Any) -> None:
    found = evaluate([ADD], [((1, 2), 3)], build=built.folder, target="host", fallback="cpython")
    assert found.solved.all() and found.in_cpython.all()
