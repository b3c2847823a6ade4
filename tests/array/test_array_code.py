"""compile: the same results as from source, and the lifetime of compiled code."""

from __future__ import annotations

import gc
from collections.abc import Callable

import pytest

from porter import InterpreterArray
from porter.errors import NotEnoughMemory, ProgramSyntaxError, UsageError

Make = Callable[..., InterpreterArray]

PROGRAM = """\
import math
NUMBERS = (0.1, 0.30000000000000004, (1e-5, 2.2250738585072014e-308), 3, "\u20ac", b"\\0x", None)
def area(r, *, scale=1.1):
    '''doc'''
    return math.pi * r ** 2 * scale
class Point:
    def __init__(self, x): self.x = x
    def __repr__(self): return f"Point({self.x!r})"
def numbers(n):
    for i in range(n): yield i * 0.7
big = 123456789012345678901234567890
point = Point(threadIdx)
total = sum(numbers(5)) + area(2)
closure = (lambda k: (lambda: k + 0.3))(threadIdx)()
print(point, total)
"""


def test_code_does_what_its_source_does(make: Make) -> None:
    by_source, by_code = make(3, heap="32K"), make(3, heap="32K")
    by_source.exec(PROGRAM)
    code = by_code.compile(PROGRAM)
    by_code.exec(code)
    values = "[NUMBERS, big, repr(point), total, closure, area(3), area.__name__]"
    assert by_code.eval(values) == by_source.eval(values)
    assert [by_code.stdout[i] for i in range(3)] == [b"", b"", b""]
    by_source.exec(PROGRAM)
    by_code.run(code)
    assert [by_code.stdout[i] for i in range(3)] == [by_source.stdout[i] for i in range(3)]


def test_complex_constants(four: InterpreterArray) -> None:
    code = four.compile("[0.1 + 0.30000000000000004j, 1.1j]", kind="eval")
    assert four.run(code) == four.eval("[0.1 + 0.30000000000000004j, 1.1j]")


def test_functions_outlive_the_code_object(four: InterpreterArray) -> None:
    four.exec(four.compile("def f(x):\n    return 'value ' + str(x * 0.1)"))
    gc.collect()
    assert four.eval("f(threadIdx)") == [f"value {i * 0.1}" for i in range(4)]


def test_kinds(four: InterpreterArray) -> None:
    assert four.run(four.compile("threadIdx * 2", kind="eval")).tolist() == [0, 2, 4, 6]
    four.run(four.compile("threadIdx * 2", kind="single"))
    assert four.stdout[3] == b"6\n"
    with pytest.raises(UsageError, match="kind 'eval'"):
        four.exec(four.compile("1", kind="eval"))
    with pytest.raises(UsageError, match="kind 'file'"):
        four.eval(four.compile("1"))
    with pytest.raises(UsageError, match="nothing to choose"):
        four.exec(four.compile("1"), which=[0] * 4)
    with pytest.raises(UsageError, match="kind"):
        four.compile("1", kind="exec")


def test_exceptions_name_file_and_line(four: InterpreterArray) -> None:
    code = four.compile("def f():\n    1 // threadIdx\nf()", "job.py")
    outcome = four.exec(code, check=False)
    assert outcome.exceptions[0].traceback == (
        "Traceback (most recent call last):\n"
        '  File "job.py", line 3, in <module>\n'
        '  File "job.py", line 2, in f\n'
        "ZeroDivisionError: integer division or modulo by zero\n"
    )


def test_code_of_one_array_runs_in_another(make: Make) -> None:
    first, second = make(2), make(5)
    code = first.compile("x = threadIdx + 0.5")
    first.close()
    second.exec(code)
    assert second.eval("x").tolist() == [0.5, 1.5, 2.5, 3.5, 4.5]


def test_what_does_not_compile(four: InterpreterArray) -> None:
    with pytest.raises(ProgramSyntaxError, match=r'File "typo\.py", line 1'):
        four.compile("x = = 1", "typo.py")
    with pytest.raises(NotEnoughMemory, match="does not compile in a heap"):
        four.compile("\n".join(f"name{i} = {i}" for i in range(2000)), heap="16K")
    code = four.compile("\n".join(f"name{i} = {i}" for i in range(300)), heap="256K")
    assert code.size > 1000
    assert four.eval("threadIdx").tolist() == [0, 1, 2, 3]


def test_code_takes_less_heap_than_source(make: Make) -> None:
    """Interpreters do not copy the bytecode and strings of shared code."""
    body = "\n".join(
        f"def f{i}(): return 'a string that is quite long, number {i}'" for i in range(60)
    )
    array = make(2, heap="12K")
    free = "import gc\ngc.collect()\nfree = gc.mem_free()"
    array.exec(free)
    before = array.eval("free")
    array.exec(array.compile(body, heap="256K"))
    array.exec(free)
    by_code = before - array.eval("free")
    other = make(2, heap="64K")
    other.exec(free)
    before = other.eval("free")
    other.exec(body)
    other.exec(free)
    by_source = before - other.eval("free")
    assert (by_code < 0.6 * by_source).all(), (by_code, by_source)
