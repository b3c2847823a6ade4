"""Exceptions of many interpreters as data, and the exceptions that calls raise for them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from porter import InterpreterArray
from porter.errors import InterpreterError, InterpreterTimeout, PorterError

Make = Callable[..., InterpreterArray]

PROGRAM = """\
def f(x):
    if x == 1:
        raise ValueError("bad\\nluck", 7)
    return 1 // (x & 1)

done = f(threadIdx)
"""


def test_groups_with_type_message_traceback_and_indices(make: Make) -> None:
    array = make(6)
    with pytest.raises(InterpreterError) as caught:
        array.exec(PROGRAM, "job.py")
    error = caught.value
    assert isinstance(error, PorterError) and error.exceptions is array.exceptions
    assert str(error).startswith("4 of 6 interpreters raised ZeroDivisionError, ValueError\n3x:\n")
    zero, value = error.exceptions
    assert (zero.type, zero.count) == ("ZeroDivisionError", 3)
    assert zero.message == "integer division or modulo by zero"
    assert zero.which.tolist() == [0, 2, 4]
    assert zero.traceback == (
        "Traceback (most recent call last):\n"
        '  File "job.py", line 6, in <module>\n'
        '  File "job.py", line 4, in f\n'
        "ZeroDivisionError: integer division or modulo by zero\n"
    )
    assert (value.type, value.message, value.which.tolist()) == (
        "ValueError", "('bad\\nluck', 7)", [1]
    )  # fmt: skip
    assert error.outcome.failed.tolist() == [True, True, True, False, True, False]
    assert array.eval("done", check=False) == [None, None, None, 1, None, 1]
    assert array.exceptions[0].type == "NameError"


def test_unchecked_goes_on(four: InterpreterArray) -> None:
    outcome = four.exec("print('before')\nassert threadIdx != 2\nok = True", check=False)
    assert [(r.type, r.message, r.which.tolist()) for r in outcome.exceptions] == [
        ("AssertionError", "", [2])
    ]
    assert str(outcome.exceptions[0]) == "AssertionError"
    assert outcome.stdout.groups[0].count == 4
    with pytest.raises(InterpreterError):
        outcome.check()


def test_a_class_of_the_program_whose_str_is_its_own(four: InterpreterArray) -> None:
    four.exec("class Odd(Exception):\n    def __str__(self):\n        return 'odd %d' % threadIdx")
    outcome = four.exec("raise Odd", check=False)
    assert sorted((r.type, r.message) for r in outcome.exceptions) == [
        ("Odd", f"odd {i}") for i in range(4)
    ]


def test_a_str_that_raises_still_counts(four: InterpreterArray) -> None:
    four.exec("class Odd(Exception):\n    def __str__(self):\n        return 1 // 0")
    outcome = four.exec("raise Odd", check=False)
    assert [(r.type, r.message, r.count) for r in outcome.exceptions] == [("Odd", "", 4)]
    assert str(outcome.exceptions[0]) == "Odd: [no message: str() of the exception failed]"


def test_system_exit_counts_by_its_code(four: InterpreterArray) -> None:
    outcome = four.exec("import sys\nsys.exit(threadIdx & 1)", check=False)
    assert [(r.type, r.message, r.which.tolist()) for r in outcome.exceptions] == [
        ("SystemExit", "1", [1, 3])
    ]
    assert not four.exec("sys.exit()").failed.any()


def test_syntax_error(four: InterpreterArray) -> None:
    with pytest.raises(InterpreterError, match="SyntaxError: invalid syntax") as caught:
        four.exec("x = = 1", "typo.py")
    assert 'File "typo.py", line 1' in caught.value.exceptions[0].traceback


def test_full_heap(make: Make) -> None:
    array = make(3)
    fill = "while True:\n        keep.append(bytes(8))"
    outcome = array.exec(f"def f():\n    keep = []\n    {fill}\nf()", check=False)
    assert [(r.type, r.count) for r in outcome.exceptions] == [("MemoryError", 3)]
    assert array.eval("threadIdx").tolist() == [0, 1, 2]
    # In a heap that stays full the size of the last allocation may vary, because the conservative
    # collector treats values on a C stack as pointers.
    outcome = array.exec(f"keep = []\nif True:\n    {fill}", check=False)
    assert {r.type for r in outcome.exceptions} == {"MemoryError"}
    assert sum(r.count for r in outcome.exceptions) == 3
    assert "allocati" in outcome.exceptions[0].message


def test_time_limit(four: InterpreterArray) -> None:
    with pytest.raises(InterpreterTimeout, match="4 of 4 interpreters raised KeyboardInterrupt"):
        four.exec("while True:\n    pass", timeout=0.1)
    with pytest.raises(TimeoutError):
        four.eval("sum(0 for _ in range(10 ** 12))", timeout=0.1)
    stubborn = "while True:\n    try:\n        while True:\n            pass\n    except: pass"
    with pytest.raises(InterpreterTimeout) as caught:
        four.exec(stubborn, timeout=0.1)
    assert caught.value.exceptions[0].message == "stopped"
    assert four.eval("threadIdx").tolist() == [0, 1, 2, 3]


def test_caught_in_time_is_no_error(four: InterpreterArray) -> None:
    program = "try:\n    while True:\n        pass\nexcept KeyboardInterrupt:\n    print('bye')"
    outcome = four.exec(program, timeout=0.1)
    assert outcome.interrupted and outcome.stdout.groups[0].text == b"bye\n"


def test_many_different_ones(make: Make) -> None:
    array = make(500)
    outcome = array.exec("raise KeyError(threadIdx // 2)", check=False)
    assert len(outcome.exceptions) == 250
    for raised in outcome.exceptions:
        assert raised.which.tolist() == [2 * int(raised.message), 2 * int(raised.message) + 1]
