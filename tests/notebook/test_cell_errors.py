"""Errors in cells: exceptions of programs, mistakes of users, interrupts."""

from __future__ import annotations

import pytest

from tests.notebook.executing import Execute, Ran

MAKE = """\
%%gpusnek -n 40 --build BUILD
def inverse(value):
    # of 0 there is none
    return 1 / value"""
STUBBORN = """\
%%gpusnek --live
while True:
    try:
        print('still')
        while True: pass
    except KeyboardInterrupt:
        pass"""

MISTAKES = {
    "%%gpusnek --no-such 3\n1": "No such option",
    "%%gpusnek stray\n1": "unexpected extra argument",
    "%%gpusnek -n\n1": "Option '-n' requires an argument",
    "%%gpusnek -n many\n1": "'many' is not a valid integer",
    "%%gpusnek -n 0\n1": "UsageError: n: 0 is not from 1",
    "%%gpusnek -n -3\n1": "UsageError: n: -3 is not from 1",
    "%%gpusnek -n 4294967296\n1": "UsageError: n: 4294967296 is not from 1",
    "%%gpusnek --heap lots\n1": "UsageError: --heap: 'lots' is not a size",
    "%%gpusnek --heap 1\n1": "UsageError: heap: 1 is too small",
    "%%gpusnek --timeout nan\n1": "UsageError: --timeout: nan is not a time",
    "%%gpusnek --max-steps 0\n1": "--max-steps",
    "%%gpusnek --image wide\n1": "UsageError: --image: 'wide' is not a size",
    "%%gpusnek --image 9x9\n1": "9x9 pixels take 243 bytes, and outbuf has 120",
    "%%gpusnek --outbuf 0 --image\n1": "UsageError: --image: these interpreters have no outbuf",
    "%%gpusnek --name s -n 1 --outbuf 2 --build BUILD --image\n1": "--image: outbuf of 2 bytes",
    "%%gpusnek 'open\n1": "No closing quotation",
    "%gpusnek -n 'open": "No closing quotation",
    "%%gpusnek --build /no/such\n1": "NotBuilt",
    "%%gpusnek --stdin-file /no/such\n1": "UsageError: --stdin-file /no/such: No such file",
    "%%gpusnek --bind missing\n1": "UsageError: --bind missing: the notebook has no variable",
    "%%gpusnek --bind a-b\n1": "BindingError: --bind: 'a-b' is not a Python identifier",
    "%%gpusnek --get 1x\n1": "BindingError: --get: '1x' is not a Python identifier",
    "%%gpusnek --bind word\n1": "WrongType: --bind word: dict is no array",
    "%%gpusnek --split number\n1": "WrongType: --split number: int is no array",
    "%%gpusnek --split short\n1": "BindingError: --split short: shape (3,) has no row for each of",
    "%%gpusnek --bind few\n1": "BindingError: --bind few: 3 values for",
    "%%gpusnek --get nothing\n1": "NameError: name 'nothing' is not defined",
    "%gpusnek --close 1": "UsageError: --close: there is code to run",
    "%gpusnek --close --name nobody": "UsageError: --name nobody: there are no interpreters",
    "%%gpusnek\nfor in x:\n    pass": "ProgramSyntaxError: SyntaxError: invalid syntax",
}


@pytest.fixture(scope="module")
def mistakes(execute: Execute) -> dict[str, Ran]:
    values = "word = {}\nnumber = 3\nimport numpy\nshort = numpy.ones(3)\nfew = [1, 2, 3]"
    found = execute(MAKE, values, *MISTAKES, "%gpusnek 1 / (threadIdx % 2 - 2)")
    assert not found[0].error and not found[1].error
    return dict(zip([*MISTAKES, "afterwards"], found[2:], strict=True))


@pytest.mark.parametrize("cell", MISTAKES)
def test_a_mistake_gets_one_clear_message(mistakes: dict[str, Ran], cell: str) -> None:
    error = mistakes[cell].error
    assert MISTAKES[cell] in error
    assert "porter/" not in error and len(error.split("\n")) < 10


def test_mistakes_do_not_end_interpreters(mistakes: dict[str, Ran]) -> None:
    assert mistakes["afterwards"].text.split("\n")[-4:] == [
        "----- 20x -----", "-0.5", "----- 20x -----", "-1.0"
    ]  # fmt: skip


def test_a_syntax_error_shows_its_line(mistakes: dict[str, Ran]) -> None:
    error = mistakes["%%gpusnek\nfor in x:\n    pass"].error
    number = error.split('"<cell ')[1].split(">")[0]
    assert int(number) == 1 + 2 + len(MISTAKES)
    assert "-----> 2 for in x:\n" in error


def test_exceptions_and_interrupts(execute: Execute) -> None:
    failing = "%%gpusnek\nt = threadIdx\n\ny = inverse(t % 4)"
    endless = "%%gpusnek\nprint('begun')\nwhile threadIdx % 2:\n    pass"
    limited = "%%gpusnek --max-steps 1000\nwhile t < 5:\n    pass"
    _, one, two, three, four, five, six, seven = execute(
        MAKE,
        failing,
        "%gpusnek 'y' in globals()",
        (endless, "have ended"),
        "%gpusnek t > 37",
        (STUBBORN, "still"),
        limited,
        "%gpusnek t > 37",
    )
    assert one.error == (
        "----- 10x ----- threadIdx 0, 4, 8, 12, 16, 20, 24, 28, ...\n"
        "Traceback (most recent call last):\n"
        '  File "<cell 3>", line 4, in <module>\n'
        "       2 t = threadIdx\n"
        "       3 \n"
        "-----> 4 y = inverse(t % 4)\n"
        '  File "<cell 2>", line 4, in inverse\n'
        "       2 def inverse(value):\n"
        "       3     # of 0 there is none\n"
        "-----> 4     return 1 / value\n"
        "ZeroDivisionError: division by zero\n\n"
        "InterpreterError: 10 of 40 interpreters raised ZeroDivisionError"
    )
    assert two.text == "----- 30x -----\nTrue\n----- 10x -----\nFalse"
    # The interpreters are stopped, with their position and output, and stay usable.
    assert three.text == "begun"
    assert "----- 20x ----- threadIdx 1, 3," in three.error and "-----> 4     pass" in three.error
    assert three.error.endswith("KeyboardInterrupt: the interpreters are ready for the next cell")
    assert four.text == "----- 38x -----\nFalse\n----- 2x -----\nTrue"
    assert five.text.startswith("still\n") and "KeyboardInterrupt: stopped" in five.error
    assert "hint: Give more with --max-steps" in six.error and "----- 5x -----" in six.error
    assert seven.text == four.text
