"""Interpreters that end for lack of heap, pystack or C stack: number and sufficient size."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import attrs
import numpy as np
import pytest

from porter import InterpreterArray
from porter.base.sizes import parse_size
from porter.config import SIZE_BOUNDS
from porter.errors import InterpreterError
from porter.run import Device, Launch, run
from porter.run.advice import Lack, advice, find

KIB = 1024
SIZES: dict[str, Any] = {"heap": 16 * KIB, "pystack": 2 * KIB, "stack": 8 * KIB}
CALLS = "def f(n):\n    return n and 1 + f(n - 1)\n"
# Recursion through C: sorted calls a key, which sorts.
SORTS = "def f(n):\n    return sorted([n], key=lambda x: len(f(n - 1)) if n else 0)\n"

# The exhausted memory, and a program that needs no more than a few times as much.
ENDS = {
    "list": ("heap", "print(len(list(range(5000))))"),
    "growing": ("heap", "x = []\nfor i in range(6000):\n    x.append(i)"),
    "at once": ("heap", "bytearray(1 << 20)"),
    "source": ("heap", "\n".join(f"x{i} = 'text {i}'" for i in range(300))),
    "calls": ("pystack", CALLS + "f(60)"),
    "C": ("stack", SORTS + "f(25)"),
    "cleanup": ("heap", "import sys\nsys.atexit(lambda: bytearray(1 << 17))"),
}


@pytest.mark.parametrize("name", ENDS)
def test_what_is_suggested_is_enough(any_device: Device, name: str) -> None:
    """Each suggested value is larger than the last, and repeated suggestions suffice in the end."""
    option, program = ENDS[name]
    if name == "at once" and any_device.name == "cuda":
        pytest.skip("more than local memory holds")
    launch = Launch(**SIZES | ({"pystack": 16 * KIB} if option == "stack" else {}))
    for _ in range(4):
        result = run(any_device, [program], 3, launch)
        if not result.status.any():
            break
        (lack,) = result.lacks
        assert (lack.option, lack.count, lack.had) == (option, 3, getattr(launch, option))
        assert lack.enough is not None and lack.enough >= 2 * lack.had
        assert lack.enough % 16 == 0
        more: dict[str, Any] = {option: lack.enough}
        launch = attrs.evolve(launch, **more)
    assert not result.status.any() and not result.lacks
    assert launch != Launch(**SIZES)


@pytest.mark.parametrize(
    "program",
    [
        "raise MemoryError",
        "raise RuntimeError('no')",
        "1 / 0",
        "1 +",
        "try:\n    bytearray(1 << 20)\nexcept MemoryError:\n    pass",
        "try:\n    bytearray(1 << 20)\nexcept MemoryError:\n    raise SystemExit(3)",
        CALLS + "try:\n    f(1000)\nexcept RuntimeError:\n    1 / 0",
        "import micropython\nmicropython.heap_lock()\nbytearray(1000)",
    ],
)
def test_what_programs_do_themselves_does_not_count(any_device: Device, program: str) -> None:
    assert run(any_device, [program], 2, Launch(**SIZES)).lacks == ()


def test_only_those_that_end_for_it_count(any_device: Device) -> None:
    program = CALLS + (
        "if threadIdx % 4 == 1:\n    bytearray(40000 * threadIdx)\n"
        "if threadIdx % 4 == 2:\n    f(1000)\nif threadIdx % 4 == 3:\n    1 / 0\n"
    )
    lacks = run(any_device, [program], 10, Launch(**SIZES)).lacks
    assert [(lack.option, lack.count) for lack in lacks] == [("heap", 3), ("pystack", 2)]
    assert lacks[0].enough == 720 * KIB  # for 360,000 bytes, twice
    text = advice(lacks, 10)
    assert text is not None and "3 of 10 ran out of heap, which is 16K: give --heap 720K" in text
    assert "2 of 10 ran out of pystack, which is 2K: give --pystack 4K or more." in text


KINDS = IntEnum("KINDS", {"HEAP": 1, "PYSTACK": 2, "STACK": 3})


@pytest.mark.parametrize(
    ("kind", "bytes_", "sizes", "local", "expected"),
    [
        (1, 0, {}, False, ("heap", 32 * KIB, False)),
        (1, 100, {}, True, ("heap", 32 * KIB, False)),
        (1, 230 * KIB, {}, True, ("heap", 480 * KIB, False)),
        (1, 250 * KIB, {}, True, ("heap", 528 * KIB, True)),
        (1, 1 << 20, {}, False, ("heap", 3 << 20, False)),
        (1, 1 << 40, {}, False, ("heap", SIZE_BOUNDS["heap"].high, False)),
        (2, 0, {"pystack": SIZE_BOUNDS["pystack"].high}, False, ("pystack", None, False)),
        (3, 0, {"stack": 200 * KIB}, False, ("stack", 400 * KIB, False)),
        (3, 0, {"stack": 3 << 20}, False, ("stack", SIZE_BOUNDS["stack"].high, False)),
        (3, 0, {"stack": 200 * KIB, "heap": 256 * KIB}, True, ("stack", 400 * KIB, True)),
    ],
)
def test_value(
    kind: int, bytes_: int, sizes: dict[str, int], local: bool, expected: tuple[Any, ...]
) -> None:
    words = np.array([bytes_ * 4 + kind, bytes_ * 4 + kind], np.uint64)
    failed = np.array([True, False])
    (lack,) = find(words, failed, SIZES | sizes, KINDS, local=local)
    assert (lack.option, lack.enough, lack.moves) == expected
    assert lack.count == 1
    if lack.enough is None:
        assert lack.advice(2).endswith("the most that there is.")
    else:
        given = lack.advice(2).split(f"--{lack.option} ")[1].split()[0]
        assert parse_size(given) == lack.enough
    assert ("global" in lack.advice(2)) is lack.moves


def test_words_for_python() -> None:
    lack = Lack("pystack", 5, 4 * KIB, 8 * KIB)
    assert lack.advice(9, python=True) == (
        '5 of 9 ran out of pystack, which is 4K: give pystack="8K" or more.'
    )
    assert advice((), 9) is None


def test_array(built: Any) -> None:
    with InterpreterArray(4, build=built.folder, **SIZES) as pythons:
        with pytest.raises(InterpreterError) as caught:
            pythons.exec("x = bytearray(100000 if threadIdx else 0)")
        wanted = '3 of 4 ran out of heap, which is 16K: give heap="224K" or more.'
        assert caught.value.hint == wanted and str(caught.value).endswith(wanted)
        assert [lack.count for lack in caught.value.outcome.lacks] == [3]
        assert pythons.exec("x = 1").lacks == ()  # they go on
        # The heap lacks memory for this traceback as data, which must not be reported as the cause.
        with pytest.raises(InterpreterError, match="ran out of pystack") as caught:
            pythons.exec("x = bytearray(6000)\n" + CALLS + "f(1000)")
