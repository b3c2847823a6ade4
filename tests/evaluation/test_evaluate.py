"""Programs x cases: arrays, batches, shared interpreters, budgets, stored results."""

from __future__ import annotations

import codecs
import os
import pickle
import signal
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from porter.errors import LaunchFailed, LaunchInterrupted
from porter.evaluation import (
    Cases,
    CaseStatus,
    Evaluation,
    Judgement,
    Judging,
    Portion,
    judge,
    portions,
)
from porter.evaluation.launches import Work
from porter.run import Device
from porter_dev.candidates import functions

from .conftest import Judge

(
    PASSED,
    WRONG,
    RAISED,
    EXITED,
    SYNTAX,
    NO_ENTRY,
    STEPS,
    TIME,
    MEMORY,
    OUTPUT,
    BROKEN,
    NO_CASE,
    *_,
) = CaseStatus
SQUARE = "def solve(x): return x * x"
RAISED_HERE = object()


def cpython(source: str, x: int) -> Any:
    """Return CPython's result, or RAISED_HERE."""
    names: dict[str, Any] = {}
    exec(compile(source, "<test>", "exec"), names)
    try:
        return names["solve"](x)
    except Exception:
        return RAISED_HERE


def test_as_cpython_computes(judged: Judge) -> None:
    sources = functions(7, 150)
    rng = np.random.default_rng(1)
    expected = [cpython(sources[rng.integers(150)], x) for x in range(40)]
    cases = [((x,), None if e is RAISED_HERE else e) for x, e in enumerate(expected)]
    found = judged(sources, cases, keep="values")
    assert found.values is not None
    for source, row, kept in zip(sources, found.passed, found.values, strict=True):
        for ((x,), wanted), passed, value in zip(cases, row, kept, strict=True):
            result = cpython(source, x)
            raised = result is RAISED_HERE
            assert passed == (result == wanted and not raised), (source, x)
            assert raised or (value == result and type(value) is type(result)), (source, x)
    assert 0 < found.passed.sum() < found.passed.size


def test_arrays(judged: Judge) -> None:
    found = judged(
        [SQUARE, "def solve(x): return 9"], [((3,), 9), ([4], 16), {"args": [5], "expected": 25}]
    )
    assert found.passed.tolist() == [[True] * 3, [True, False, False]]
    assert found.passed.dtype == bool and found.steps.dtype == np.int64 and (found.steps > 0).all()
    assert found.scores.tolist() == [1, 1 / 3] and found.solved.tolist() == [True, False]
    assert found.best.tolist() == [0, 1] and found.cases.tolist() == [3, 3] and len(found) == 2
    assert found.counts() == {PASSED: 4, WRONG: 2}
    assert (found.outputs, found.values, found.tracebacks) == (None, None, None)
    assert "2 programs x 3 cases, 1 solved: PASSED 4, WRONG 2" in repr(found)
    html = found._repr_html_()
    assert html.count("&#9632;") == 6 and "&lt;Evaluation of" in html and 'title="WRONG"' in html


def test_names_are_escaped(judged: Judge) -> None:
    found = judged({"<b>": SQUARE, "two": "("}, [((1,), 1)])
    assert found.names == ("<b>", "two") and found.name(1) == "two"
    html = found._repr_html_()
    assert "<b>" not in html and "&lt;b&gt;" in html


def test_a_table_is_cut() -> None:
    status = np.full((25, 70), WRONG, np.int8)
    names = ["\x1b[31m", *map(str, range(24))]
    html = Evaluation(status, np.ones((25, 70), np.int64), names=tuple(names))._repr_html_()
    assert html.count("&#9632;") == 20 * 64 and html.count(" ...") == 20
    assert "and 5 programs more" in html and "\x1b" not in html and "\\x1b[31m" in html


def test_keyword_arguments(judged: Judge) -> None:
    program = "def solve(a, *rest, b=2, **more): return [a, rest, b, more]"
    cases = [
        {"args": [1], "expected": [1, (), 2, {}]},
        {"args": [1, 5], "kwargs": {"b": 3}, "expected": [1, (5,), 3, {}]},
        {"args": [], "kwargs": {"a": 0, "long name of one": [1]},
         "expected": [0, (), 2, {"long name of one": [1]}]},
    ]  # fmt: skip
    assert judged([program], cases).solved.all()


STATEFUL = "seen = []\ndef solve(x):\n seen.append(x)\n return list(seen)"


def test_an_interpreter_for_each_case_or_program(judged: Judge) -> None:
    cases = [((1,), [1]), ((2,), [2]), ((2,), [1, 2, 2])]
    assert judged([STATEFUL], cases).passed.tolist() == [[True, True, False]]
    assert judged([STATEFUL], cases, each="program").passed.tolist() == [[True, False, True]]


@pytest.mark.parametrize("each", ["case", "program"])
def test_what_is_kept(judged: Judge, each: str) -> None:
    program = "print('loaded')\ndef solve(x):\n print('called', x)\n return 10 // x"
    found = judged([program, "x ="], [((1,), 10), ((0,), 0), ((5,), 2)], each=each,
                   keep=["outputs", "values", "tracebacks"])  # fmt: skip
    assert found.values == [[10, None, 2], [None] * 3]
    once = b"loaded\n" if each == "case" else b""
    assert found.outputs is not None and found.tracebacks is not None
    assert found.outputs[0] == [b"loaded\ncalled 1\n", once + b"called 0\n", once + b"called 5\n"]
    first, second, third = found.tracebacks[0]
    assert first is None and third is None and second is not None
    assert second.startswith('Traceback (most recent call last):\n  File "<program>", line 4, in')
    assert second.endswith("\nZeroDivisionError: integer division or modulo by zero\n")
    assert all("SyntaxError" in str(text) for text in found.tracebacks[1])


def test_long_values(judged: Judge) -> None:
    program = "def solve(n): return ['x' * n, list(range(n)), b'y' * n]"
    sizes = [0, 1, 200, 300, 1000]
    for each in ("case", "program"):
        values = judged([program], [((n,), 0) for n in sizes], keep="values", each=each).values
        assert values == [[["x" * n, list(range(n)), b"y" * n] for n in sizes]]


def test_budgets_of_each_program(judged: Judge) -> None:
    program = "def solve(n):\n for i in range(n): pass\n return n"
    found = judged([program] * 3, [((500,), 500)], steps=[100, 5000, 400])
    assert found.status.ravel().tolist() == [STEPS, PASSED, STEPS]
    assert found.steps[0, 0] == 100 and found.steps[2, 0] == 400
    exact = int(found.steps[1, 0])
    assert judged([program] * 2, [((500,), 500)], steps=[exact, exact - 1]).solved.tolist() == [
        True,
        False,
    ]
    with pytest.raises(ValueError, match="steps: 2 values, but there are more programs"):
        judged([program] * 3, [((1,), 1)], steps=[100, 5000])


def test_loading_and_each_call_have_the_budget(judged: Judge) -> None:
    spin = "for i in range(900): pass\n"
    program = f"{spin}def solve(x):\n for i in range(900): pass\n return x"
    for each in ("case", "program"):
        found = judged([program], [((1,), 1)] * 3, steps=1000, each=each)
        assert found.solved.all() and (found.steps < 1000).all()
        found = judged([spin + program], [((1,), 1)] * 3, steps=1000, each=each)
        assert set(found.status.ravel()) == {STEPS} and (found.steps == 1000).all()


def test_a_call_that_fails_leaves_the_next_ones(judged: Judge) -> None:
    program = (
        "def solve(k):\n if k == 0: return 0\n if k == 1: 1 // 0\n if k == 2:\n  while True: pass\n"
        " if k == 3: raise SystemExit(4)\n if k == 4: return [0] * 10**7\n"
        " if k == 5: print('x' * 20000)\n return k"
    )
    ends = [PASSED, RAISED, STEPS, EXITED, MEMORY, OUTPUT, PASSED]
    for each in ("case", "program"):
        found = judged([program], [((k,), k) for k in range(7)], each=each, steps=50_000)
        assert found.status[0].tolist() == ends, each


def test_deadlines(judged: Judge) -> None:
    found = judged(["def solve():\n while True: pass", "def solve(): return 1"], [((), 1)],
                   steps=None, deadline=[0.1, 20.0])  # fmt: skip
    assert found.status.ravel().tolist() == [TIME, PASSED]


def test_sizes(judged: Judge) -> None:
    program = "def solve(n): return len(bytearray(n))"
    cases = [((20_000,), 20_000), ((100_000,), 100_000)]
    found = judged([program], cases, heap="32K", max_heap="32K")
    assert found.passed.tolist() == [[True, False]]
    assert judged([program], cases, heap="128K").passed.tolist() == [[True, True]]
    printing = "def solve(n):\n print('x' * (n - 1))\n return n"
    cases = [((n,), n) for n in (64, 65)]
    assert judged([printing], cases, stdout=64).status.tolist() == [[PASSED, OUTPUT]]


def test_a_stream_is_read_as_it_is_needed(judged: Judge) -> None:
    read: list[int] = []
    done: list[tuple[int, int]] = []

    def programs() -> Iterator[str]:
        for n in range(25):
            read.append(n)
            yield f"def solve(x): return x + {n}"

    found = judged(
        programs(), [((1,), 11)], batch=10, progress=lambda k: done.append((k, len(read)))
    )
    assert done == [(10, 10), (20, 20), (25, 25)]
    assert np.flatnonzero(found.solved).tolist() == [10] and found.status.shape == (25, 1)


def test_what_was_judged_before_it_ends_is_in_the_error(
    judged: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(done: int) -> None:
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()

    endless = "def solve(x):\n while True: pass"
    with pytest.raises(LaunchInterrupted) as stopped:
        judged([SQUARE, endless], [((1,), 1)], batch=1, steps=10**15, progress=interrupt)
    (first,) = stopped.value.result
    assert (first.first, first.status.tolist()) == (0, [PASSED])

    def second(device: Device, portion: Portion, how: Judging) -> Judgement:
        if portion.first:
            raise LaunchFailed("gone")
        return judge(device, portion, how)

    monkeypatch.setattr("porter.evaluation.distribution.judge", second)
    with pytest.raises(LaunchFailed, match="gone") as failed:
        judged([SQUARE] * 3, [((1,), 1)], batch=1)
    assert [judgement.first for judgement in failed.value.result] == [0]

    def raise_it(done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(LaunchInterrupted) as stopped:
        judged([SQUARE] * 3, [((1,), 1)], batch=1, progress=raise_it)
    assert len(stopped.value.result) == 1


def test_cases_of_their_own(judged: Judge) -> None:
    pairs = [
        (SQUARE, [((2,), 4)]),
        (SQUARE, [((2,), 5), ((3,), 9), ((4,), 16)]),
        ("(", [((1,), 1)]),
    ]
    for each in ("case", "program"):
        for batch in (None, 1, 2):
            found = judged(iter(pairs), each=each, batch=batch, keep="values")
            assert found.status.tolist() == [
                [PASSED, NO_CASE, NO_CASE], [WRONG, PASSED, PASSED], [SYNTAX, NO_CASE, NO_CASE]
            ]  # fmt: skip
            assert found.values == [[4], [4, 9, 16], [None]]
            assert found.scores.tolist() == [1, 2 / 3, 0] and found.solved.tolist() == [
                True,
                False,
                False,
            ]


def test_portions_are_judged_in_any_order_and_travel(any_device: Device) -> None:
    cases = Cases.of([((k,), k * k) for k in range(5)])
    how = Judging(keep="values", steps=[1000 + n for n in range(11)])
    sources = [f"def solve(x): return x * {n}" for n in range(11)]
    cut = list(portions(sources, cases, rows=20, most=100))
    assert [len(portion.sources) for portion in cut] == [4, 4, 3]
    again = [pickle.loads(pickle.dumps(portion)) for portion in cut]
    how = pickle.loads(pickle.dumps(how))
    found = [judge(any_device, portion, how) for portion in reversed(again)]
    found = [pickle.loads(pickle.dumps(judgement)) for judgement in found]
    whole = Evaluation.of(found, 5)
    expected = [[n == x or x == 0 for x in range(5)] for n in range(11)]
    assert whole.passed.tolist() == expected
    assert whole.values == [[n * x for x in range(5)] for n in range(11)]


def test_equal_programs_and_one_program(judged: Judge) -> None:
    found = judged([SQUARE] * 600 + ["def solve(x): return 1"], [((1,), 1), ((3,), 9)])
    assert found.passed.sum(axis=0).tolist() == [601, 600]
    assert judged([SQUARE], [((1,), 1)]).solved.all()


@pytest.mark.parametrize("end", ["raise ValueError(3)", "raise SystemExit(4)", "while True: pass"])
def test_each_row_has_the_output_of_a_program_that_fails(judged: Judge, end: str) -> None:
    """Compare rows with a row that has an interpreter of its own."""
    cases = [((k,), 1) for k in range(3)]
    keep = ("outputs", "stderr", "tracebacks")
    programs = [f"import sys\nprint('load')\nsys.stderr.write('err\\n')\n{end}"]
    found = judged(programs, cases, keep=keep, steps=5000)
    (alone,) = [judged(programs, cases[:1], keep=keep, steps=5000)]
    assert found.stderr and found.tracebacks and alone.stderr and alone.tracebacks
    assert found.outputs == [[b"load\n"] * 3]
    assert found.stderr == [alone.stderr[0] * 3] and found.stderr[0][0].startswith(b"err\n")
    assert found.tracebacks == [alone.tracebacks[0] * 3]


def test_programs_that_differ_by_a_byte_order_mark(judged: Judge) -> None:
    plain = b"def solve(x): return x\n"
    found = judged([plain, codecs.BOM_UTF8 + plain, plain], [((1,), 1), ((2,), 3)])
    assert found.passed.tolist() == [[True, False]] * 3


def test_rows_of_interpreters_with_different_numbers_of_rows() -> None:
    """Two rows of two programs are not a row of each."""
    work = Work(np.arange(2), np.array([5, 7]), np.array([2, 0]), np.arange(2))
    assert not work.single and work.case_of_row.tolist() == [5, 6]
    assert work.of_row.tolist() == [0, 0] and work.first_row.tolist() == [0, 2, 2]
    apart = work.apart(np.arange(2))
    assert apart.single and apart.case_of_row.tolist() == [5, 6]
    assert apart.which.tolist() == [0, 0] and apart.first_row.tolist() == [0, 1, 2]


def test_no_programs(judged: Judge) -> None:
    found = judged([], [((1,), 1)] * 3)
    assert found.status.shape == (0, 3) and found.scores.shape == (0,) and found.counts() == {}
    assert "nothing ran" in repr(found) and found._repr_html_()


def test_another_entry(judged: Judge) -> None:
    assert judged(["größe = lambda: 1"], [((), 1)], entry="größe").solved.all()
    assert judged(
        ["class A:\n @staticmethod\n def solve(): return 1\nf = A.solve"], [((), 1)], entry="f"
    ).solved.all()


def test_a_value_that_has_no_room_is_said_where_a_function_needs_it(judged: Judge) -> None:
    program = "def solve(n): return ['x' * n]"
    found = judged([program], [((n,), n) for n in (10, 30_000)], heap="48K", keep="values",
                   max_heap=0, compare=lambda value, n: len(value[0]) == n)  # fmt: skip
    assert found.status.tolist() == [[PASSED, MEMORY]]
    assert found.values == [[["x" * 10], None]]


def test_a_long_name_of_an_argument_ends_its_row_alone(judged: Judge) -> None:
    source = "def solve(*args, **kwargs): return [len(name) for name in kwargs]"
    sizes = (1, 255, 256, 300, 100_000, 0)
    cases = [{"kwargs": {"\u00e9" * (size // 2) + "e" * (size % 2): 1}, "expected": [-(-size // 2)]}
             for size in sizes]  # fmt: skip
    found = judged([source] * 2, cases, keep="tracebacks")
    assert found.status.tolist() == [[PASSED, PASSED, RAISED, RAISED, RAISED, PASSED]] * 2
    assert found.tracebacks is not None
    assert found.tracebacks[1][3] == "RuntimeError: name too long\n"


# Awaitables that no task ends, and the status without a deadline and with one.
ENDLESS = {
    "asyncio.Event().wait()": (STEPS, TIME),
    "asyncio.gather(asyncio.Event().wait(), asyncio.Event().wait())": (STEPS, TIME),
    "asyncio.ThreadSafeFlag().wait()": (TIME, TIME),
    "asyncio.wait_for(asyncio.Event().wait(), 1)": (RAISED, RAISED),
}


@pytest.mark.parametrize("awaited", ENDLESS)
def test_how_waiting_for_ever_ends(judged: Judge, awaited: str) -> None:
    program = (
        f"import asyncio\nasync def wait(): await {awaited}\ndef solve(): asyncio.run(wait())\n"
    )
    without, with_one = ENDLESS[awaited]
    assert judged([program], [((), None)]).status.tolist() == [[without]]
    found = judged([program], [((), None)], steps=None, deadline=0.2)
    assert found.status.tolist() == [[with_one]]
