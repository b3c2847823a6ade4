"""Invalid arguments of InterpreterArray: errors name the argument, and the array stays usable."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from porter import InterpreterArray
from porter.errors import BindingError, UsageError, WrongType
from porter.run import Device

if TYPE_CHECKING:
    from porter.pipeline import Build

Make = Callable[..., InterpreterArray]


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("seed", "a", WrongType), ("seed", 1.5, WrongType), ("seed", 2**70, UsageError),
        ("block", "a", WrongType), ("block", -1, UsageError), ("block", 2**70, UsageError),
        ("heap", math.nan, WrongType), ("heap", "a", UsageError), ("heap", 10**1000, UsageError),
        ("fs", 5, WrongType), ("fs", "", UsageError),
        ("target", "host", UsageError), ("build", "x", UsageError), ("release", "1", UsageError),
    ],
)  # fmt: skip
def test_of_the_constructor(make: Make, name: str, value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=rf"^{name}: "):
        make(4, **{name: value})


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("device", 5, WrongType), ("device", 0, WrongType), ("device", "host", WrongType),
        ("target", 5, WrongType), ("target", "all", UsageError), ("release", 5, WrongType),
        ("release", "../x", UsageError), ("release", "n" * 300, UsageError),
        ("build", 5, WrongType), ("build", "a\0", UsageError), ("n", "4", WrongType),
        ("n", math.nan, WrongType), ("n", -1, UsageError),
    ],
)  # fmt: skip
def test_of_what_to_open(name: str, value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=rf"^{name}: "):
        InterpreterArray(**{"n": 4, name: value})


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("timeout", "1", WrongType), ("timeout", math.nan, UsageError),
        ("timeout", -1, UsageError), ("timeout", math.inf, UsageError),
        ("which", "a", UsageError), ("wait", np.zeros(2), WrongType),
        ("check", np.zeros(2), WrongType),
    ],
)  # fmt: skip
def test_of_calls(four: InterpreterArray, name: str, value: Any, error: type[Exception]) -> None:
    for call in (four.exec, four.eval):
        with pytest.raises(error, match=rf"^{name}: "):
            call("1", **{name: value})
    four.exec("x = 1")


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("stdin", None, WrongType), ("stdin", [1] * 4, WrongType), ("stdin", ["a"], UsageError),
        ("kind", 5, WrongType), ("kind", "eval", UsageError), ("name", 5, WrongType),
        ("name", "a\0", UsageError), ("which", [[1], [1, 2]], WrongType),
    ],
)  # fmt: skip
def test_of_exec(four: InterpreterArray, name: str, value: Any, error: type[Exception]) -> None:
    source = ["1"] if name == "which" else "1"
    with pytest.raises(error, match=rf"^{name}: "):
        four.exec(source, **{name: value})


def test_sources_and_codes(four: InterpreterArray) -> None:
    for source in (None, 5, object()):
        calls: list[Any] = [four.exec, four.eval, four.compile]
        for call in calls:
            with pytest.raises((WrongType, UsageError), match=r"^source: "):
                call(source)
        with pytest.raises(WrongType, match=r"^code: "):
            four.run(source)  # type: ignore[arg-type]
    assert four.eval(b"\xef\xbb\xbf1").tolist() == [1] * 4


def test_stdin_is_one_text(four: InterpreterArray) -> None:
    four.exec("print(input())", stdin="abcd")
    assert [four.stdout[i] for i in range(4)] == [b"abcd\n"] * 4
    four.exec("print(input())", stdin=["\u00e9", b"b", "c", bytearray(b"d")])
    assert [four.stdout[i] for i in (0, -1)] == [b"\xc3\xa9\n", b"d\n"]
    for index in (4, -5):
        with pytest.raises(IndexError):
            four.stdout[index]


def test_names_that_are_too_long(four: InterpreterArray, any_device: Device) -> None:
    array = any_device.xp.zeros(4)
    for name in ("n" * 256, "\u00e9" * 128):
        for refused in (lambda name: four.bind(name, array), lambda name: four.set(name, 1)):
            with pytest.raises(BindingError, match=r"^name: .* bytes"):
                refused(name)
    four.bind("n" * 255, array)
    four.set("\u00e9" * 127, 7)
    four.exec("assert len(" + "n" * 255 + ") == 4")
    assert four.get("\u00e9" * 127).tolist() == [7] * 4


@pytest.mark.parametrize("value", [None, "a", 1.5, -1, 4, 10**1000])
def test_indices(four: InterpreterArray, value: Any) -> None:
    for call in (four.clone_from, four.file_system):
        with pytest.raises((WrongType, UsageError), match=r"^index"):
            call(value)


def test_a_build_by_its_name(built: Build) -> None:
    for folder in (str(built.folder), Path(built.folder)):
        with InterpreterArray(2, build=folder, target="host") as array:
            assert array.eval("threadIdx").tolist() == [0, 1]
    assert "cupy" not in sys.modules or array.closed
