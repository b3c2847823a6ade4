"""Classes of hostile answers to `evaluate`, with the only statuses that each may have."""

from __future__ import annotations

import math
from typing import Any

from attrs import field, frozen

from porter.array import Repr, Unreadable
from porter.base.untrusted import text_of
from porter.evaluation import CaseStatus

P, W, R = CaseStatus.PASSED, CaseStatus.WRONG, CaseStatus.RAISED
STEPS, TIME = CaseStatus.OUT_OF_STEPS, CaseStatus.OUT_OF_TIME
MEMORY, NOT_COMPARED = CaseStatus.OUT_OF_MEMORY, CaseStatus.NOT_COMPARED

NOT_UTF8 = text_of(b"\xff\xfe")
TEXT = r"""eval(b"'\xff\xfe'")"""  # a str of the bytes ff fe


@frozen
class Answer:
    """A hostile program of an evaluation.

    Attributes:
        source: The program.
        cases: Arguments and expected value of each call.
        ends: The status of each call.
        values: The value of each call, as `evaluate` keeps it; None: not checked.
        function: Whether a function in CPython compares.
        options: Further options of `evaluate`.
    """

    source: str
    cases: tuple[tuple[tuple[Any, ...], Any], ...]
    ends: tuple[CaseStatus, ...]
    values: tuple[Any, ...] | None = None
    function: bool = False
    options: dict[str, Any] = field(factory=dict)


LARGE = 3000
# The deadline is shorter than a comparison of each element with each other would take.
LIMITED = {"heap": "1M", "steps": None, "deadline": 30.0}


def large(build: str, other: str) -> Answer:
    """Return an answer of many elements: equal to one expected value, not equal to another.

    Args:
        build: An expression for the answer, which computes with `n`.
        other: An expression for a value `v` of `build` that has another last element.
    """
    value = eval(build, {"n": LARGE})
    different = eval(other, {"v": value, "n": LARGE})
    cases = (((LARGE,), value), ((LARGE,), different))
    return Answer(f"def solve(n): return {build}", cases, (P, W), options=dict(LIMITED))


def nans(*keys: str) -> set[Any]:
    """Return a set with a NaN object for each "nan", and the other keys as they are."""
    return {math.nan * 1 if key == "nan" else key for key in keys}


NANS = """\
N, M = float('nan'), float('nan')
def solve(k): return [{N, M}, {N, 'x'}, {'x'}, {(N, 1): 1, (M, 1): 2}][k]
"""

ANSWERS = {
    "a large dict": large("{i * 7919: i for i in range(n)}", "{**v, (n - 1) * 7919: -1}"),
    "a large set": large("{i * 7919 for i in range(n)}", "(v - {7919}) | {1}"),
    "a large set of texts": large("{str(i) for i in range(n)}", "(v - {'1'}) | {'x'}"),
    "keys of a binary power": large("{i << 20: 0 for i in range(n)}", "{**v, 1 << 20: 1}"),
    "many distinct elements for a few": Answer(
        "def solve(n): return set(range(n))", (((LARGE,), {1, 2}),), (W,), options=dict(LIMITED)
    ),
    "a comparison that costs too much": Answer(
        "def solve(): return {}",
        (((), {float(f"nan{''}"): i for i in range(12_000)}), ((), {})),
        (NOT_COMPARED, P),
        options={"heap": "1M"},
    ),
    "several NaNs in a set": Answer(
        NANS, tuple(((k,), nans("nan", "x")) for k in range(4)), (W, P, W, W)
    ),
    "text that is not UTF-8": Answer(
        f"def solve(k): return [{TEXT}, [{TEXT}], {{{TEXT}: 2}}, {{{TEXT}}}, '\\u0141'][k]",
        tuple(((k,), "\u0141") for k in range(5)),
        (W, W, W, W, P),
        (NOT_UTF8, [NOT_UTF8], {NOT_UTF8: 2}, {NOT_UTF8}, "\u0141"),
    ),
    "text that is not UTF-8 for a function": Answer(
        f"def solve(k): return [{TEXT}, [{TEXT}], 1][k]",
        (((0,), NOT_UTF8.encode("utf-8", "replace")), ((1,), 1), ((2,), 1)),
        (W, W, P),
        (NOT_UTF8, [NOT_UTF8], 1),
        function=True,
    ),
    "names, messages and outputs that are not UTF-8": Answer(
        f"""\
class A:
    def __repr__(self): return {TEXT}
class E(Exception): pass
E.__name__ = {TEXT}
def solve(k):
    print({TEXT})
    if k == 0: return [A()]
    if k == 1: raise E({TEXT})
    return k
""",
        (((0,), 1), ((1,), 1), ((2,), 2)),
        (W, R, P),
        ([Repr(NOT_UTF8)], None, 2),
    ),
    "a repr without end for a function": Answer(
        "class A:\n def __repr__(self):\n  while True: pass\ndef solve(k): return [A(), 1][k]",
        (((0,), 1), ((1,), 1)),
        (NOT_COMPARED, P),
        (Unreadable("encoding it reached a limit", b""), 1),
        function=True,
        options={"steps": 20_000},
    ),
    "a value that contains itself": Answer(
        "def solve(k):\n a = []\n a.append(a)\n return [a, 1][k]",
        (((0,), 1), ((1,), 1)),
        (MEMORY, P),
        function=True,
    ),
    "weak references of collected objects": Answer(
        """\
import weakref, gc
class A:
    def __del__(self): pass
def solve(k):
    a = A()
    r = weakref.ref(a, lambda _: None)
    a = None
    gc.collect()
    return len(bytes(1000)) + k
""",
        tuple(((k,), 1000 + k) for k in range(3)),
        (P, P, P),
        options={"each": "program"},
    ),
    "an event that nothing sets": Answer(
        "import asyncio\nasync def main(): await asyncio.Event().wait()\n"
        "def solve(): asyncio.run(main())",
        (((), None),),
        (TIME,),
        options={"steps": None, "deadline": 0.3},
    ),
    "an exit function without end": Answer(
        "import sys\ndef f():\n while True: pass\nsys.atexit(f)\ndef solve(): return 1",
        (((), 1), ((), 2)),
        (P, W),
    ),
    "deep recursion in each call": Answer(
        "def f(n): return f(n + 1) + 1\ndef solve(k):\n return f(0) if k else 1",
        (((1,), 0), ((0,), 1), ((1,), 0)),
        (MEMORY, P, MEMORY),
        options={"each": "program"},
    ),
    "a full heap in each call": Answer(
        "kept = []\ndef solve(k):\n while k: kept.append([0] * 20)\n kept.clear()\n return 1",
        (((1,), 0), ((0,), 1), ((1,), 0)),
        (MEMORY, P, MEMORY),
        options={"each": "program", "steps": 10**7},
    ),
}
