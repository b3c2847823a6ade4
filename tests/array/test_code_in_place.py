"""Shared code executes in place, so native code is found by the bytecode's address."""

from __future__ import annotations

import numpy as np
import pytest

from porter.array import InterpreterArray
from porter.run.launch.native_code import Native

SOURCE = """\
def f(n):
    t = 0
    for i in range(n):
        t += i * 3
    return t
g = lambda x: f(x) + 0.5
"""


def notes(array: InterpreterArray, before: str, source: str) -> tuple[int, list[bytes]]:
    """Count the bytes of `before`'s code that executed in place while `source` ran."""
    if array.device.on_gpu:
        pytest.skip("kernels note nothing unless machine code is linked with them")
    code = array.compile(before)
    array.exec(code)
    seen = array.device.zeros(code.memory.nbytes, np.uint8)
    entries = array.device.zeros(code.memory.nbytes, np.uint16)
    phase = array._phase
    with_notes = (Native(code.memory, entries, seen=seen),)
    array._phase = lambda **given: phase(**{**given, "natives": with_notes})  # type: ignore[method-assign]
    try:
        outcome = array.exec(source)
    finally:
        array._phase = phase  # type: ignore[method-assign]
    return int(np.count_nonzero(array.device.host(seen))), list(outcome.stdout)


def test_functions_of_shared_code_run_in_place(four: InterpreterArray) -> None:
    executed, printed = notes(four, SOURCE, "print(g(10))")
    assert executed > 15
    assert printed == [b"135.5\n"] * 4


def test_they_do_after_a_collection_and_in_another_launch(four: InterpreterArray) -> None:
    source = "import gc; gc.collect()\nx = [bytearray(64) for i in range(200)]\nprint(g(10))"
    executed, printed = notes(four, SOURCE, source)
    assert executed > 15
    assert printed == [b"135.5\n"] * 4


def test_what_each_compiles_does_not(four: InterpreterArray) -> None:
    executed, printed = notes(four, SOURCE, f"{SOURCE}print(g(10))")
    assert executed == 0
    assert printed == [b"135.5\n"] * 4


MARSHALLED = (
    """\
import marshal
def chosen(x):
    while x:
        x -= 1
        if x == 7:
            break
    else:
        raise ValueError(x)
    for i in range(200):
        x += i if i & 1 else 2
    return x
def wide(x):
    for i in range(2):
"""
    + "        x = x + 1 if x else 5\n" * 30
    + """\
    return x
for function, given in ((chosen, 9), (wide, 3)):
    data = marshal.dumps(function.__code__)
    again = type(function)(marshal.loads(data), globals())
    print(function(given), again(given), marshal.dumps(again.__code__) == data)
"""
)


def test_marshal_saves_what_is_executed_in_place(four: InterpreterArray) -> None:
    outcome = four.exec(four.compile(MARSHALLED))
    assert outcome.stdout[0] == b"10207 10207 True\n63 63 True\n"
