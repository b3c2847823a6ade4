"""Exceptions of calls: each row has its own record, which does not affect its other results."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from porter.cli import execute
from porter.errors import UsageError
from porter.evaluation import CaseStatus

from .conftest import Judge

BY_CASE = """\
class Own(ValueError):
    def __str__(self):
        print('dropped')
        return 'own ' + str(self.args[0])
def down(n):
    if n == 0: raise KeyError('deep')
    down(n - 1)
def full():
    kept = []
    try:
        while True: kept.append(bytes(100))
    except MemoryError: pass
    return kept
def solve(x):
    if x == 0: return 0
    if x == 1: raise Own(x)
    if x == 2: down(20)
    if x == 3:
        kept = full()
        down(20)
    if x == 4: solve(x)
    if x == 5: raise SystemExit(3)
    if x == 6:
        while True: pass
    if x == 7:
        kept = []
        while True: kept.append(bytes(100))
"""
WANTED = [
    None, ("Own", "own 1"), ("KeyError", "'deep'"), ("KeyError", "'deep'"),
    ("RecursionError", None), None, None, ("MemoryError", None),
]  # fmt: skip
CASES = [((x,), 0) for x in range(8)]
FAILS = "x = 1\nraise IndexError('of the program')\ndef solve(x): return 0"
KEEP = ["exceptions", "tracebacks", "outputs"]


@pytest.mark.parametrize("each", ["case", "program"])
def test_each_row_has_its_own(judged: Judge, each: str) -> None:
    neighbours = ["def solve(x): return 0"] * 20
    found = judged([*neighbours, BY_CASE, FAILS, "x = = 1"], CASES, each=each, keep=KEEP)
    assert found.exceptions is not None and found.tracebacks is not None
    assert found.outputs is not None
    assert found.exceptions[:20] == [[None] * 8] * 20 and found.outputs[20] == [b""] * 8
    for record, wanted in zip(found.exceptions[20], WANTED, strict=True):
        assert (record is None) == (wanted is None)
        if record is not None and wanted is not None:
            assert record.type == wanted[0] and wanted[1] in (None, record.message)
            assert record.cut == frozenset()
    deep = [found.exceptions[20][case] for case in (2, 3)]
    for record in deep:
        assert record is not None and sum(frame.count for frame in record.frames) == 22
    assert {str(record) for record in found.exceptions[21]} == {"IndexError: of the program"}
    assert {str(record) for record in found.exceptions[22]} == {"SyntaxError: invalid syntax"}
    for records, texts in zip(found.exceptions, found.tracebacks, strict=True):
        assert texts == [None if one is None else one.traceback for one in records]
    types = found.exception_types()
    assert (types["IndexError"], types["SyntaxError"], types["KeyError"]) == (8, 8, 2)


def test_records_change_nothing_else(judged: Judge) -> None:
    plain = judged([BY_CASE, FAILS], CASES)
    kept = judged([BY_CASE, FAILS], CASES, keep=KEEP)
    assert (plain.status == kept.status).all() and (plain.steps == kept.steps).all()
    assert CaseStatus.OUT_OF_STEPS in kept.status and CaseStatus.EXITED in kept.status
    with pytest.raises(UsageError, match="no exceptions"):
        plain.exception_types()


def test_many_cases(judged: Judge) -> None:
    program = "def solve(x):\n if x % 3: raise KeyError(x)\n return x"
    found = judged([program], [((x,), x) for x in range(200)], keep="exceptions")
    assert found.exceptions is not None
    wanted = [None if x % 3 == 0 else str(x) for x in range(200)]
    assert [one and one.message for one in found.exceptions[0]] == wanted
    assert np.array_equal(found.passed[0], [x % 3 == 0 for x in range(200)])


def test_the_command_writes_them(tmp_path: Path) -> None:
    (tmp_path / "tasks.jsonl").write_text(
        json.dumps({"source": "def solve(x): return 10 // x", "cases": [[[0], 0], [[5], 2]]}) + "\n"
    )
    out = tmp_path / "rows.jsonl"
    argv = ["evaluate", str(tmp_path / "tasks.jsonl"), "--target", "host", "--out", str(out)]
    assert execute([*argv, "--keep", "exceptions"]) == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    expected = "ZeroDivisionError: integer division or modulo by zero"
    assert [row["exception"] for row in rows] == [expected, None]
