"""Arguments that `evaluate` refuses before it runs programs; the message names their place."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from porter.errors import FileProblem, LaunchInterrupted, PorterError, UsageError, WrongType
from porter.evaluation import CaseStatus, Tolerance
from porter.run import Program

from .conftest import Judge

SOURCE = "def solve(x): return x"
CASE = ((1,), 1)
CASES: dict[str, tuple[Any, str]] = {
    "none": ([], "cases: there is no case"),
    "text": ("abc", "cases: str is not a sequence of cases"),
    "a number": (3, "cases: int is not a sequence"),
    "one case": ({"args": [], "expected": 1}, "cases: dict is not a sequence"),
    "bare values": ([1, 2], r"cases\[0\]: int is not a case"),
    "a triple": ([CASE, (1, 2, 3)], r"cases\[1\]: tuple of 3 is not a case"),
    "one argument": ([(1, 1)], r"cases\[0\]: arguments are a list or a tuple, not int"),
    "text as arguments": ([("ab", 1)], r"cases\[0\]: arguments are a list or a tuple, not str"),
    "no expected": ([{"args": [1]}], r"cases\[0\]: it has no expected value"),
    "a key": (
        [{"args": [1], "expected": 1, "name": "x"}],
        r"cases\[0\]: 'name' is not one of args",
    ),
    "kwargs": (
        [{"kwargs": [1], "expected": 1}],
        r"cases\[0\]: kwargs are a dict by names, not list",
    ),
    "keys": ([{"kwargs": {1: 2}, "expected": 1}], r"cases\[0\]: kwargs are a dict by names"),
}
PROGRAMS: dict[str, tuple[Any, str]] = {
    "text": (SOURCE, "programs: str is not a list of programs"),
    "a program": (Program(SOURCE), "programs: Program is not a list of programs"),
    "a number": (3, "programs: int is not"),
    "of numbers": ([SOURCE, 3], r"programs\[1\]: int is not text"),
    "of none": ([None], r"programs\[0\]: NoneType is not text"),
    "pairs beside cases": ([(SOURCE, [CASE])], r"programs\[0\]: tuple is not text"),
    "by name": ({"a": 3}, r"programs\[0\]: int is not text"),
}
OPTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "entry": ({"entry": "a b"}, "entry: 'a b' is not a Python identifier"),
    "keyword": ({"entry": "def"}, "entry: 'def' is not"),
    "entry's type": ({"entry": 3}, "entry: int is not text"),
    "long entry": ({"entry": "a" * 300}, "entry: .* longer than 255 bytes"),
    "NUL": ({"entry": "a\0"}, "entry: .* contains a NUL"),
    "steps": ({"steps": 0}, "steps: 0 is not from 1"),
    "steps' type": ({"steps": "many"}, "steps: str is not a whole number"),
    "no limit": ({"steps": None}, "steps: without a limit"),
    "too many limits": ({"steps": [9] * 7}, "steps: 7 values, but there are 1 programs"),
    "a huge tolerance": ({"compare": 10**400}, "compare: this tolerance is no double"),
    "deadline": ({"deadline": -1}, "deadline: -1 is not a time"),
    "heap": ({"heap": "1"}, "heap"),
    "heap's type": ({"heap": 1.5}, "heap: float is not a size"),
    "stdout": ({"stdout": "2G"}, "stdout"),
    "seed": ({"seed": 1.5}, "seed: float is not a whole number"),
    "clock": ({"clock": -1}, "clock: -1 is not a time"),
    "machine's clock": ({"clock": None}, "clock: by the machine's clock a program can sleep"),
    "compare": ({"compare": "nearly"}, "compare: 'nearly' is not 'equal'"),
    "compare's type": ({"compare": [1]}, "compare: list"),
    "tolerance": ({"compare": -1.0}, "relative: -1.0 is not a number from 0"),
    "each": ({"each": "call"}, "each: 'call' is not one of case, program"),
    "keep's type": ({"keep": 3}, "keep: int is not one of outputs, values, tracebacks, exceptions"),
    "an array": ({"compare": np.zeros(2)}, "compare: ndarray"),
    "progress": ({"progress": 3}, "progress: int is not a function"),
    "stdout's type": ({"stdout": 1.5}, "stdout: float is not a size"),
    "a late clock": ({"clock": 1e11}, r"clock: 1e\+11 is not a time from 0 to 1e\+10"),
    "a program without steps": ({"steps": [5, None]}, "steps: without a limit"),
    "one without both": ({"steps": [None, 5], "deadline": [None, 1]}, "steps: without a limit"),
    "a program that may sleep": ({"clock": None, "deadline": [1, None]}, "clock: by the machine"),
    "keep": (
        {"keep": ["output"]},
        "keep: 'output' is not one of outputs, values, tracebacks, exceptions",
    ),
    "batch": ({"batch": 0}, "batch: 0 is not from 1"),
    "files": ({"files": "/nowhere/at/all"}, "/nowhere/at/all"),
    "two devices": ({"target": "host"}, "target: the open device has its own"),
}


@pytest.mark.parametrize("name", CASES)
def test_cases(judged: Judge, name: str) -> None:
    value, message = CASES[name]
    with pytest.raises((UsageError, WrongType), match=message):
        judged([SOURCE], value)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(judged: Judge, name: str) -> None:
    value, message = PROGRAMS[name]
    with pytest.raises(WrongType, match=message):
        judged(value, [CASE])


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (SOURCE, r"programs\[0\]: without shared cases each program is a pair"),
        ((SOURCE,), r"programs\[0\]: without"),
        ((SOURCE, []), r"programs\[0\], cases: there is no case"),
        ((SOURCE, [1]), r"programs\[0\], cases\[0\]: int is not a case"),
        ((1, [CASE]), r"programs\[0\]: int is not text"),
    ],
)
def test_programs_with_cases(judged: Judge, program: Any, message: str) -> None:
    with pytest.raises(PorterError, match=message):
        judged([program])


@pytest.mark.parametrize("name", OPTIONS)
def test_options(judged: Judge, name: str) -> None:
    options, message = OPTIONS[name]
    with pytest.raises((UsageError, WrongType, FileProblem), match=message):
        judged([SOURCE], [CASE], **options)


def test_what_is_left_out(judged: Judge) -> None:
    found = judged([SOURCE], [CASE], stdout=None, keep=None, compare=None, progress=None)
    assert found.solved.all() and found.outputs is None
    found = judged([SOURCE] * 2, [CASE], steps=[None, 100], deadline=[10, None])
    assert found.solved.all()


def test_the_clock_of_today(judged: Judge) -> None:
    now = float(int(time.time()))
    program = "import time\ndef solve(): return time.time()"
    assert judged([program], [((), now)], clock=now, compare=0.0).solved.all()


def test_tolerances() -> None:
    for bad in (-1, float("nan"), float("inf")):
        with pytest.raises(UsageError, match="is not a number from 0"):
            Tolerance(0.0, bad)
    with pytest.raises(WrongType, match="relative: str"):
        Tolerance("1")  # type: ignore[arg-type]


def test_a_heap_that_is_too_small(judged: Judge) -> None:
    found = judged([SOURCE + "\n" + "x = 1\n" * 500], [CASE], heap="2K", max_heap=0)
    assert found.status.ravel().tolist() == [CaseStatus.OUT_OF_MEMORY]


def test_an_interrupted_function_ends_the_evaluation(judged: Judge) -> None:
    def compare(value: Any, expected: Any) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(LaunchInterrupted) as caught:
        judged([SOURCE], [CASE], compare=compare)
    assert caught.value.result == ()


def test_a_function_that_exits_does_not_end_the_evaluation(judged: Judge) -> None:
    def compare(value: Any, expected: Any) -> bool:
        raise SystemExit(3)

    found = judged([SOURCE], [CASE], compare=compare)
    assert found.status.ravel().tolist() == [CaseStatus.NOT_COMPARED]


def test_a_program_too_many_has_its_index(judged: Judge, tmp_path: Path) -> None:
    programs = [SOURCE] * 30 + [tmp_path]
    with pytest.raises(WrongType, match=r"programs\[30\]: PosixPath is not text"):
        judged(programs, [CASE], batch=10)
