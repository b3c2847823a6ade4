"""Native code stays loaded while interpreters may execute it; limits end it like bytecode."""

from __future__ import annotations

import gc
import pickle
from collections.abc import Callable

import pytest

from porter import InterpreterArray
from porter.errors import ArrayClosed, InterpreterError, InterpreterTimeout
from porter.run import Device

Make = Callable[..., InterpreterArray]

ADD = "def add(n):\n    s = 0\n    for i in range(n): s += i\n    return s\n"
ENDLESS = "n = 0\nwhile True:\n    n += 1\n"


def test_code_outlives_its_array(make: Make) -> None:
    first, second = make(1), make(2)
    code = first.compile(ADD, native=True)
    first.exec(code)
    first.close()
    del first
    gc.collect()
    second.exec(code)
    del code
    gc.collect()
    assert second.eval("add(10)").tolist() == [45, 45]
    second.trim()
    assert second.eval("add(11)").tolist() == [55, 55]


def test_a_closed_array(two: InterpreterArray) -> None:
    code = two.compile(ADD + "import sys\nsys.atexit(lambda: add(1000))", native=True)
    two.exec(code)
    two.close()  # runs add()
    for use in (lambda: two.exec(code), lambda: two.compile(ADD, native=True)):
        with pytest.raises(ArrayClosed):
            use()


def test_a_launch_that_nobody_waits_for(make: Make, twin: Device) -> None:
    array = InterpreterArray(2, device=twin)
    array.exec(array.compile(ENDLESS, native=True), wait=False)
    del array
    gc.collect()
    after = make(2)
    after.exec(ADD, compiled=True)
    assert after.eval("add(10)").tolist() == [45, 45]


def test_limits(two: InterpreterArray) -> None:
    code = two.compile(ENDLESS, native=True)
    with pytest.raises(InterpreterTimeout):
        two.exec(code, timeout=0.2)
    ends = []
    for source in (ENDLESS, code):
        outcome = two.exec(source, max_steps=12345, check=False)
        ends.append((two.eval("n").tolist(), outcome.steps.tolist(), outcome.limited))
    assert ends[0] == ends[1]
    call = two.exec(code, wait=False)
    call.interrupt()
    with pytest.raises(InterpreterError, match="2 of 2 interpreters raised KeyboardInterrupt"):
        call.result()


def test_a_report_travels(two: InterpreterArray) -> None:
    report = two.exec(ADD, compiled=True).compiled
    assert pickle.loads(pickle.dumps(report)) == report
