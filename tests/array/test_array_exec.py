"""exec: outputs, persistence, sources per interpreter, interactive statements, files."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from porter import InterpreterArray
from porter.errors import UsageError, WrongType
from porter.fs import Image
from porter.run import Program

Make = Callable[..., InterpreterArray]


def test_variables_stay_and_output_is_each_calls_own(four: InterpreterArray) -> None:
    four.exec("total = threadIdx * 10\nprint('first', threadIdx % 2)")
    assert [(g.text, g.count) for g in four.stdout.groups] == [(b"first 0\n", 2), (b"first 1\n", 2)]
    outcome = four.exec("total += numThreads\nprint(total)")
    assert [outcome.stdout[i] for i in range(4)] == [b"4\n", b"14\n", b"24\n", b"34\n"]
    assert four.outcome is outcome and outcome.stderr.longest == 0
    assert not outcome.failed.any() and not len(four.exceptions)


def test_a_source_for_each(four: InterpreterArray) -> None:
    four.exec([f"x = {i} ** 3" for i in range(4)])
    assert four.eval("x").tolist() == [0, 1, 8, 27]
    four.exec(["x = 'even'", b"x = 'odd'"], which=[0, 1, 0, 1])
    assert four.eval("x") == ["even", "odd", "even", "odd"]
    assert four.eval(["1", "2.5"], which=np.array([1, 0, 0, 1])).tolist() == [2.5, 1.0, 1.0, 2.5]


def test_single_prints_as_the_prompt_does(four: InterpreterArray) -> None:
    outcome = four.exec("threadIdx // 2", kind="single")
    assert [(g.text, g.count) for g in outcome.stdout.groups] == [(b"0\n", 2), (b"1\n", 2)]


def test_stdin(four: InterpreterArray) -> None:
    four.exec("print(input() + '!')", stdin=b"abc\n")
    assert four.stdout.groups[0].text == b"abc!\n"
    four.exec("print(input() * 2)", stdin=[b"a\n", b"b\n", b"cc\n", b"d"])
    assert four.stdout[2] == b"cccc\n" and four.stdout[3] == b"dd\n"


def test_output_beyond_its_buffer_is_cut(make: Make) -> None:
    array = make(2, stdout=64)
    array.exec("print('x' * 100 * threadIdx)")
    assert array.stdout.cut.tolist() == [False, True] and len(array.stdout[1]) == 64


def test_each_has_a_file_system_of_its_own(make: Make) -> None:
    image = Image.empty(16 * 1024)
    array = make(3, fs=image)
    array.exec("with open('/f', 'w') as f:\n    f.write('mine %d' % threadIdx)")
    assert array.eval("open('/f').read()") == ["mine 0", "mine 1", "mine 2"]
    array.close()  # closes open files; the array's memory is freed with it
    with pytest.raises(ValueError, match="closed"):
        array.file_system(0)


def test_a_file_system_comes_back(make: Make) -> None:
    array = make(2, fs=Image.empty(16 * 1024))
    array.exec("with open('/f', 'w') as f:\n    f.write('mine %d' % threadIdx)")
    assert array.file_system(1).read("f") == b"mine 1"


@pytest.mark.parametrize(
    ("source", "which", "error"),
    [
        (["1", "2"], None, UsageError),
        (["1", "2"], [0, 1, 2, 0], UsageError),
        (["1", "2"], [0, 1, -1, 0], UsageError),
        (["1", "2"], [0, 1], UsageError),
        (["1", "2"], [0.0, 1.0, 0.0, 1.0], WrongType),
        ("1", [0, 0, 0, 0], UsageError),
        (7, None, WrongType),
        (Program("1"), None, WrongType),
        ([7] * 4, None, WrongType),
    ],
)
def test_wrong_sources(
    four: InterpreterArray, source: object, which: object, error: type[Exception]
) -> None:
    with pytest.raises(error):
        four.exec(source, which=which)  # type: ignore[call-overload]
    with pytest.raises(error):
        four.eval(source, which=which)  # type: ignore[arg-type]


def test_wrong_kind_and_name(four: InterpreterArray) -> None:
    with pytest.raises(ValueError, match="'eval' is not one of file, single"):
        four.exec("1", kind="eval")
    with pytest.raises(ValueError, match="name"):
        four.exec("1", "a\0b")
