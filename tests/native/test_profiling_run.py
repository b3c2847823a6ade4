"""Profiling runs before compilation, and recompilation after failed speculations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from porter import InterpreterArray
from porter.array import Code
from porter.compiler.mpy import read_module
from porter.compiler.options import SEEN_INT
from porter.errors import UsageError
from porter.fs import Image
from porter.native import ProfilingRun, natives, profiling_run
from porter.native.compilation import HEAD, MOST_CODE, mark_functions
from porter.native.known_programs import _known
from porter.native.stubs import like_arrays
from porter.native.target import target_of
from porter.run import Device, Launch

Make = Callable[..., InterpreterArray]


def trial_of(array: InterpreterArray, code: Code) -> ProfilingRun:
    stubs = array._bindings.stubs()
    return ProfilingRun(array.device, code.memory, code.kind, array._launch, array.n, stubs)


def kinds(array: InterpreterArray, source: str, kind: str = "file") -> set[int]:
    """Return the type feedback of a profiling run of `source`."""
    return set(trial_of(array, array.compile(source, kind=kind)).seen())


def test_it_sees_kinds(two: InterpreterArray) -> None:
    seen = two.device.built.seen
    every = {int(kind) for kind in seen}
    assert int(seen["FLOAT"]) in kinds(two, "x = 1.5\nfor i in range(9): x = x * 2")
    assert not any(each & int(seen["FLOAT"]) for each in kinds(two, "x = 1\nx = x + 2"))
    assert any(each & int(seen["BOOL"]) for each in kinds(two, "not 1", "eval"))
    assert kinds(two, "[x for x in range(4)]", "single") - {0}
    assert max(kinds(two, "for x in (1, 2.5, 'a', True): x")) <= sum(every)


@pytest.mark.parametrize(
    "source",
    [
        "while True: pass",
        "import time; time.sleep(1000)",
        "input()",
        "raise SystemExit(3)",
        "def f(): return f()\nf()",
        "x = []\nwhile 1: x.append(x[:])",
        "print('x' * 100000)",
        "1 / 0",
        "undefined",
    ],
)
def test_whatever_it_comes_to(
    two: InterpreterArray, source: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert two.compile(source, native=True).native is not None
    assert capfd.readouterr() == ("", "")


def test_it_writes_to_no_array_and_no_file(make: Make) -> None:
    image = Image.empty(1 << 16)
    array = make(2, fs=image)
    data = np.arange(100.0)
    array.bind("data", data)
    array.set("each", [3, 4])
    array.set("text", ["ab", "c"])
    array.set("name", "whole")
    source = """\
assert len(data) == 100 and data[5] == 5 and (each, text, name) == (3, 'ab', 'whole')
assert numThreads == 2
for i in range(100): data[i] = -1
open('/file', 'w').write('x')
done = 1.5
done
"""
    code = array.compile(source, native=True)
    seen = trial_of(array, code).seen()
    assert seen[-1:] == b"\0" and int(array.device.built.seen["FLOAT"]) in set(
        seen
    )  # it came so far
    assert data[5] == 5
    assert array.file_system(0).data == image.data


def test_it_ends_in_time(two: InterpreterArray) -> None:
    native = two.compile("for i in range(10 ** 9): i * 2", native=True).native
    assert native is not None
    assert native.cached or native.seconds["profile"] < profiling_run.TIMEOUT


def test_large_programs_are_compiled_in_part(two: InterpreterArray) -> None:
    source = "".join(f"def f{k}(n):\n for i in range(n): n += i * {k}\n" for k in range(2000))
    code = bytes(two.compile(source, heap="4M").memory)
    module = read_module(code, HEAD, target_of(two.device).tables)
    assert mark_functions(b"", module, len(code))
    hints = bytearray(len(code))
    last = module.functions[-1]
    hints[last.start + last.code[3].at] = SEEN_INT
    marked = mark_functions(bytes(hints), module, len(code))
    chosen = [f for f in module.functions if any(marked[f.start : f.start + f.code[-1].next])]
    assert last in chosen and marked[last.start + last.code[3].at] == SEEN_INT
    assert 50 < len(chosen) < 1500
    assert sum(f.code[-1].next for f in chosen) <= MOST_CODE


def test_wrong_guesses_are_made_no_more(two: InterpreterArray) -> None:
    source = """\
def total(values):
    found = 0
    for value in values: found = found + value
    return found
for i in range(turns): t = total([1, 2, 3] if i < 5 else [1.5, 2.25])
print(t)
"""
    two.set("turns", 4)
    code = two.compile(source, "sums.py", native=True)
    two.set("turns", 2 * natives.OFTEN)
    first = two.exec(code)
    assert first.compiled is not None
    (place,) = [one for one in first.compiled.failed_guards if one.count >= natives.OFTEN]
    assert (place.source, place.function, place.line) == ("sums.py", "total", 3)
    assert place.text == "for value in values: found = found + value"
    assert "sums.py:3" in repr(first.compiled) and "sums.py:3" in first.compiled._repr_html_()
    for _ in range(2):
        again = two.exec(code)
        assert again.compiled is not None
        assert all(one.count < natives.OFTEN for one in again.compiled.failed_guards)
        assert again.stdout[0] == first.stdout[0] == b"3.75\n"
        assert len(again.compiled.functions) == 2  # not both compiled functions


def test_it_is_made_again_a_few_times_only(
    two: InterpreterArray, twin: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(natives, "OFTEN", 0)
    monkeypatch.setattr(natives, "OFTEN_EACH", 0)
    code = two.compile("x = 1\nfor i in range(9): x += 1 if i < 5 else 0.5", native=True)
    made = set()
    for _ in range(natives.MOST_AGAIN + 3):
        assert two.exec(code).status.tolist() == [0, 0]
        made |= {id(module) for module, _, _ in two._natives._each.values()}
    assert len(made) <= 1 + natives.MOST_AGAIN


def test_stand_ins_are_like_the_arrays(twin: Device) -> None:
    data = np.arange(10_000, dtype=np.float32).reshape(100, 100)
    empty = np.zeros(0, np.int64)
    one, none = like_arrays(twin, {"data": data, "empty": empty})
    assert (one.name, one.typecode, one.count, none.count) == ("data", "f", 10_000, 0)
    assert isinstance(one.keep, np.ndarray) and one.keep is not data
    assert one.keep[:1024].tolist() == data.reshape(-1)[:1024].tolist()
    assert not one.keep[1024:].any()
    with pytest.raises(UsageError, match="bound: x is a list"):
        like_arrays(twin, {"x": [1, 2]})
    for wrong in (
        np.zeros(3, "V0"),
        np.zeros(3, object),
        np.zeros(3, ">i4"),
        np.zeros(1, np.float16),
    ):
        with pytest.raises(UsageError, match="bound: x has elements of"):
            like_arrays(twin, {"x": wrong})
    with pytest.raises(UsageError, match="bound: x is a type, not an array of numbers"):
        like_arrays(twin, {"x": np.ndarray})
    with pytest.raises(UsageError, match="not a name"):
        like_arrays(twin, {"not a name": data})


def test_a_trial_finds_stand_ins(twin: Device) -> None:
    source = "t = 0.0\nfor i in range(9): t += data[i * numThreads]\n"
    bound = like_arrays(twin, {"data": np.ones(90, np.float32)})
    number = int(twin.built.seen["FLOAT"])
    blind, sighted = (
        _known(twin, Launch(), 10, given, source, "a.py", "file").hints for given in ([], bound)
    )
    assert number in sighted[len(sighted) // 2 :] and sighted.count(number) > blind.count(number)
