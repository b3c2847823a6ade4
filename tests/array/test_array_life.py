"""Creation, interruption, sharing between threads, closing; and invalid sizes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from porter import InterpreterArray
from porter.array import interpreters
from porter.errors import (
    ArrayClosed,
    FileProblem,
    InterpreterError,
    NotBuilt,
    NotEnoughMemory,
    UsageError,
    WrongType,
)
from porter.run import Device

Make = Callable[..., InterpreterArray]

FOREVER = "print('on')\nwhile True:\n    pass"


@pytest.mark.parametrize(
    ("n", "options", "error"),
    [
        (0, {}, UsageError),
        (-1, {}, UsageError),
        (2**31, {}, UsageError),
        (1.5, {}, WrongType),
        ("many", {}, WrongType),
        (2**31 - 1, {"heap": "1G"}, NotEnoughMemory),
        (1, {"heap": "a lot"}, UsageError),
        (1, {"heap": 4095}, UsageError),
        (1, {"heap": 2.5}, WrongType),
        (1, {"fs": 7}, WrongType),
        (1, {"fs": "no/such/image"}, FileProblem),
        (2, {"heap": 1024}, UsageError),
    ],
)
def test_wrong_sizes(make: Make, n: Any, options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        make(n, **options)


def test_errors_are_pythons_own_too(make: Make) -> None:
    for n, kind in ((0, ValueError), ("x", TypeError), (2**31 - 1, MemoryError)):
        with pytest.raises(kind):
            make(n, heap="1G")


def test_trimming_loses_nothing(make: Make) -> None:
    array = make(40)
    array.exec("x = [threadIdx] * 3")
    given = array.trim()
    assert given > 0 if array.device.local else given == 0
    assert array.trim() == 0
    array.exec("x.append(len(x))")
    array.trim()
    assert list(array.eval("x")) == [[i, i, i, 3] for i in range(40)]
    array.close()
    with pytest.raises(ArrayClosed):
        array.trim()


def test_wrong_targets(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'tpu' is not one of host, cuda"):
        InterpreterArray(1, target="tpu")
    with pytest.raises(NotBuilt):
        InterpreterArray(1, build=tmp_path)
    with pytest.raises(UsageError, match="no streams"):
        InterpreterArray(1, target="host", stream=object())


def test_closing(make: Make) -> None:
    with make(2) as array:
        assert len(array) == 2 and "2" in repr(array) and not array.closed
        array.exec("x = 1")
        outcome = array.outcome
    assert array.closed and "closed" in repr(array)
    array.close()
    calls = (array.exec, array.eval)
    for call in calls:
        with pytest.raises(ArrayClosed):
            call("x")
    with pytest.raises(ValueError, match="closed"), array:
        pass
    assert not array.interrupt()
    assert outcome.stdout[0] == b""  # output remains readable after the interpreters have ended


def test_nothing_ran_yet(four: InterpreterArray) -> None:
    with pytest.raises(UsageError, match="nothing has run"):
        _ = four.stdout


def test_interrupt_from_another_thread(four: InterpreterArray) -> None:
    assert not four.interrupt()
    timer = threading.Thread(target=lambda: _until(four.interrupt))
    timer.start()
    with pytest.raises(InterpreterError, match="KeyboardInterrupt") as caught:
        four.exec(FOREVER)
    timer.join()
    assert caught.value.exceptions[0].count == 4 and type(caught.value) is InterpreterError
    assert four.eval("threadIdx").tolist() == [0, 1, 2, 3]


def test_not_waiting(four: InterpreterArray) -> None:
    handle = four.exec(FOREVER, wait=False)
    assert not handle.done()
    handle.interrupt()
    with pytest.raises(InterpreterError):
        handle.result()
    assert handle.done()
    first = four.eval("threadIdx", wait=False)
    second = four.eval("str(threadIdx)", wait=False)  # waits for the first
    assert second.result() == ["0", "1", "2", "3"]
    assert first.result().tolist() == [0, 1, 2, 3] and first.result() is first.result()


def test_each_interrupt_counts(four: InterpreterArray) -> None:
    program = (
        "seen = 0\n"
        "while seen < 3:\n"
        "    try:\n        while True: pass\n"
        "    except KeyboardInterrupt:\n        seen += 1\n"
    )
    handle = four.exec(four.compile(program), wait=False)  # compiling is interrupted too
    while not handle.done():
        handle.interrupt()
        time.sleep(0.2)  # a handler that is interrupted itself ends the program
    handle.result()
    assert four.eval("seen").tolist() == [3] * 4


def test_threads_take_turns(four: InterpreterArray) -> None:
    four.exec("count = 0")
    results: list[Any] = []

    def work(k: int) -> None:
        for _ in range(5):
            four.exec("count += 1")
            results.append(four.eval(f"[threadIdx, {k}]") == [[i, k] for i in range(4)])

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 20 and four.eval("count").tolist() == [20] * 4


def test_copying_interpreters_is_refused_where_it_cannot_be(
    four: InterpreterArray, any_device: Device
) -> None:
    with pytest.raises(UsageError, match="there are interpreters 0 to 3"):
        four.clone_from(4)
    if not any_device.local:
        with pytest.raises(UsageError, match="cannot be copied"):
            four.clone_from(0)


def _until(act: Any) -> None:
    while not act():
        time.sleep(0.01)


ENDLESS = {
    "loops": "while True: pass",
    "catches": """
        while True:
            try:
                while True: pass
            except BaseException: pass
""",
}


@pytest.mark.parametrize("kind", ENDLESS)
@pytest.mark.parametrize("when", ["exit function", "finaliser"])
def test_what_runs_without_end_at_the_end_is_stopped(
    any_device: Device, kind: str, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interpreters, "END_SECONDS", 0.2)
    pythons = InterpreterArray(3, device=any_device)
    if when == "finaliser":
        pythons.exec(f"class A:\n    def __del__(self):\n        {ENDLESS[kind]}\na = A()")
    else:
        pythons.exec(f"import sys\ndef f():\n        {ENDLESS[kind]}\nif threadIdx: sys.atexit(f)")
    closing = threading.Thread(target=pythons.close, daemon=True)
    closing.start()
    closing.join(60.0)
    assert not closing.is_alive() and pythons.closed
