"""Equality on the device agrees with Python's, and with math.isclose for tolerances."""

from __future__ import annotations

import array
import cmath
import itertools
import math
from collections import OrderedDict
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porter.base.untrusted import Unreadable
from porter.evaluation import CaseStatus, Tolerance

from .conftest import Judge

ECHO = "def solve(value): return value\n"
VALUES = [
    *(None, ..., True, False, 0, 1, -1, 2**31, -(2**31) - 1, 2**46, -(2**46) - 1, 2**63, -(2**64)),
    *(2**53, 2**53 + 1, float(2**53), 10**30, 1e30, int(1e30), -(10**30), 1 << 1100),
    *(0.0, -0.0, 1.0, 0.5, 5e-324, 1.7976931348623157e308, math.inf, -math.inf),
    *(1j, 1 + 0j, 0.5 + 2j, "", "a", "ä\0b", b"", b"a", bytearray(b"a"), "a" * 300),
    *((), [], (1,), [1], [1.0], [True], ((1,),), [[1]], [1, 2], [2, 1]),
    *({}, {1: 2}, {1.0: 2.0}, {1: 3}, {2: 1}, {"a": [1]}, {"a": (1,)}, {(1, 2): None, 3: 4}),
    *({4: 3, 3: 4}, {3: 4, 4: 3}, set(), {1, 2}, {2.0, 1}, {1, 3}, frozenset([1, 2])),
    *({frozenset([1]), 2}, {(1,), 2}),
    *(array.array("i", [1, 2]), array.array("d", [1, 2]), array.array("B", [1]), array.array("q")),
    *(array.array("Q", [2**63]), array.array("f", [0.5])),
]  # fmt: skip


def equal_here(a: Any, b: Any) -> bool:
    if isinstance(a, bytes | bytearray) is not isinstance(b, bytes | bytearray):
        return bool(a == b) and not isinstance(a, array.array) and not isinstance(b, array.array)
    return bool(a == b)


def test_all_pairs(judged: Judge) -> None:
    pairs = list(itertools.product(VALUES, repeat=2))
    found = judged([ECHO], [((a,), b) for a, b in pairs]).passed[0]
    wrong = [
        (a, b, bool(passed))
        for (a, b), passed in zip(pairs, found, strict=True)
        if equal_here(a, b) != passed
    ]
    assert wrong == []


def test_values_come_back(judged: Judge) -> None:
    values = judged([ECHO], [((value,), None) for value in VALUES], keep="values").values
    assert values is not None
    for given_, found in zip(VALUES, values[0], strict=True):
        assert type(found) is type(given_) and found == given_


def test_nan_equals_nan(judged: Judge) -> None:
    nan = math.nan
    cases = [((nan,), nan), (([nan, 1],), [nan, 1]), ((nan,), 1.0), ((1,), nan), ((nan,), None)]
    assert judged([ECHO], cases).passed[0].tolist() == [True, True, False, False, False]


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary(),
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(st.integers() | st.text(), inner)
        | st.sets(st.integers() | st.floats(allow_nan=False))
    ),
    max_leaves=12,
)


@settings(max_examples=20, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(plain, plain), min_size=1, max_size=60))
def test_generated(judged: Judge, pairs: list[tuple[Any, Any]]) -> None:
    pairs += [(a, a) for a, _ in pairs]
    found = judged([ECHO], [((a,), b) for a, b in pairs]).passed[0]
    assert found.tolist() == [a == b for a, b in pairs]


HUGE = 10**400  # no double holds it
NUMBERS: list[Any] = [
    *(
        HUGE,
        -HUGE,
        HUGE + 1,
        2**53 + 1,
        float(2**53),
        2**64 + 2**11 + 1,
        2.0**64,
        10**25,
        1e25,
        math.nan,
    ),
    0,
    1,
    10**18,
    0.0,
    1.0,
    1 + 1e-10,
    1 + 1e-6,
    1e18 + 512,
    1e-12,
    -1.0,
    math.inf,
    -math.inf,
]


@pytest.mark.parametrize("tolerance", [Tolerance(), Tolerance(1e-5), Tolerance(0, 1e-3)])
def test_tolerance(judged: Judge, tolerance: Tolerance) -> None:
    def close(a: Any, b: Any) -> bool:
        if isinstance(a, int) and isinstance(b, int):
            return a == b
        if abs(a) > 1e308 or abs(b) > 1e308 or a == b:
            return bool(a == b)
        if math.isnan(a) and math.isnan(b):
            return True
        rel, abs_ = tolerance.relative, tolerance.absolute
        return math.isclose(a, b, rel_tol=rel, abs_tol=abs_)

    pairs = list(itertools.product(NUMBERS, repeat=2))
    wrapped = [(([a, {"x": (a,)}],), [b, {"x": (b,)}]) for a, b in pairs]
    found = judged([ECHO], wrapped, compare=tolerance).passed[0]
    assert found.tolist() == [close(a, b) for a, b in pairs]


@settings(max_examples=20, suppress_health_check=list(HealthCheck))
@given(st.lists(st.integers(-(2**1030), 2**1030) | st.integers(-(2**70), 2**70), min_size=1))
def test_integers_are_rounded_as_python_rounds_them(judged: Judge, integers: list[int]) -> None:
    cases = []
    for integer in integers:
        nearest = float(integer) if abs(integer) < 2**1024 - 2**970 else math.inf
        cases += [((integer,), nearest), ((integer,), math.nextafter(nearest, 0))]
    found = judged([ECHO], cases, compare=Tolerance(0, 0)).passed[0].reshape(-1, 2)
    for integer, (nearest_passed, next_passed) in zip(integers, found.tolist(), strict=True):
        assert nearest_passed == (abs(integer) < 2**1024 - 2**970)
        assert not next_passed or integer == 0


def test_tolerance_is_for_floats_alone(judged: Judge) -> None:
    near = 1.0000001
    cases = [
        *((({1.0: 2},), {near: 2}), (({1.0},), {near}), (("1",), "1.0"), ((1 + 1j,), near + 1j)),
        ((array.array("d", [1]),), array.array("d", [near])),
    ]
    assert judged([ECHO], cases, compare=1e-3).passed[0].tolist() == [False] * 3 + [True] * 2
    assert cmath.isclose(1 + 1j, 1.0000001 + 1j, rel_tol=1e-3)


def test_a_function_compares_here(judged: Judge) -> None:
    seen = []

    def compare(value: Any, expected: Any) -> bool:
        seen.append((value, expected))
        return sorted(value) == sorted(expected)

    long = list(range(2000))  # longer than the initial buffer
    cases = [((long,), long[::-1]), (([1, 2],), [2, 2]), ((["a"],), ["a"])]
    found = judged([ECHO, "def solve(x): return 1 // 0"], cases, compare=compare)
    assert found.passed.tolist() == [[True, False, True], [False] * 3]
    assert len(seen) == 3 and seen[0] == (long, long[::-1])


@pytest.mark.parametrize(
    "result",
    [
        *("range(3)", "memoryview(b'abc')", "(i for i in (0, 1, 2))", "map(abs, [0, 1, 2])"),
        *("{0: 0, 1: 1, 2: 2}.keys()", "E()", "object", "solve"),
    ],
)
def test_other_types_equal_nothing(judged: Judge, result: str) -> None:
    program = (
        "class E:\n def __eq__(self, other): return True\n def __hash__(self): return 0\n"
        f"def solve(): return {result}\n"
    )
    expected = [[0, 1, 2], range(3).start, {1: 2}, None, True, b"abc", "E"]
    assert not judged([program], [((), value) for value in expected]).passed.any()


def test_named_tuples_and_ordered_dicts(judged: Judge) -> None:
    program = (
        "from collections import namedtuple, OrderedDict\n"
        "def solve(k): return [namedtuple('P', 'x y')(1, 2), OrderedDict([(1, 2)])][k]\n"
    )
    expected = dict(OrderedDict([(1, 2)]))
    assert judged([program], [((0,), (1, 2)), ((1,), expected)]).solved.tolist() == [True]


def test_instances_of_subclasses_of_builtin_types(judged: Judge) -> None:
    program = (
        "from collections import Counter, defaultdict\n"
        "class L(list): pass\nclass T(str): pass\nclass N(int): pass\nclass P(tuple): pass\n"
        "d = defaultdict(int)\nd['a'] += 1\n"
        "def solve(k): return [Counter('aab'), d, L([1]), T('x'), N(5), {P((1, 2)): 3}][k]\n"
    )
    values = [{"a": 2, "b": 1}, {"a": 1}, [1], "x", 5, {(1, 2): 3}]
    cases = [((k,), value) for k, value in enumerate(values)]
    assert judged([program], cases).solved.tolist() == [True]
    wrong = [{"a": 2}, {"a": 2}, [2], "y", 6, {(1, 3): 3}]
    for k, value in enumerate(wrong):
        assert judged([program], [((k,), value)]).solved.tolist() == [False]


@pytest.mark.parametrize(
    "value", [object(), Fraction(1), np.int64(1), np.zeros(2), {1: object()}, int]
)
def test_values_that_interpreters_lack(judged: Judge, value: Any) -> None:
    with pytest.raises(TypeError, match=r"cases\[1\], (arguments|expected): .* is no value"):
        judged([ECHO], [((1,), 1), ((value,), 1)])
    with pytest.raises(TypeError, match=r"cases\[1\], expected"):
        judged([ECHO], [((1,), 1), ((1,), [value])])


def test_values_that_are_too_deep_or_no_text(judged: Judge) -> None:
    deep: list[Any] = []
    for _ in range(37):
        deep = [deep]
    assert judged([ECHO], [((deep,), deep)]).solved[0]
    itself: list[Any] = []
    itself.append(itself)
    for value in ([[[deep]]], itself):
        with pytest.raises(ValueError, match="nested more than 40 deep"):
            judged([ECHO], [((), value)])
    with pytest.raises(ValueError, match="surrogates not allowed"):
        judged([ECHO], [((), "\udcff")])


def test_nans_in_sets_and_keys_match_one_to_one(judged: Judge) -> None:
    program = (
        "N = float('nan')\nM = float('nan')\n"
        "def pairs(*items):\n    d = {}\n    for k, v in items: d[k] = v\n    return d\n"
        "def solve(k): return [{N, M}, {N, 'x'}, {(N, 1), ('x', 1)}, {(N, 1), (M, 2)},\n"
        "    pairs(((N,), 1), ((M, M), 2)), pairs(((N,), 1), ((M, M), 1)),\n"
        "    pairs(((N,), 1), ('x', 1))][k]\n"
    )
    n, m = float("nan"), float("nan")
    expected: list[Any] = [{n}, {n, "x"}, {(n, 1), ("x", 1)}, {(n, 1), (m, 2)}]
    expected += [{(n,): 1, (m, n): 2}, {(n,): 1, (m, n): 1}, {(n,): 1, "x": 1}]
    pairs = list(itertools.product(range(len(expected)), repeat=2))
    found = judged([program], [((i,), expected[k]) for i, k in pairs]).passed[0]
    assert found.tolist() == [i == k for i, k in pairs]
    near = judged([program], [((i,), expected[k]) for i, k in pairs], compare=1e-9).passed[0]
    assert near.tolist() == found.tolist()
    # All NaNs of an interpreter are one object, of which a set has one, also within a tuple.
    for two in ({n, m}, {(n, 1), (m, 1)}, {(n,): 1, (m,): 2}):
        assert not judged([program], [((i,), two) for i in range(len(expected))]).passed.any()


def test_values_of_similar_keys_are_told_apart(judged: Judge) -> None:
    program = (
        "def solve(values):\n    d = {}\n    nan = float('nan')\n"
        "    for i, v in enumerate(values): d[(nan,) * (i + 1)] = v\n    return d\n"
    )

    def of(values: list[int]) -> dict[tuple[float, ...], int]:
        return {(float("nan"),) * (i + 1): value for i, value in enumerate(values)}

    lists = [[1, 2, 2], [1, 1, 2], [2, 1, 2], [1, 2], [1, 2, 3]]
    pairs = list(itertools.product(lists, repeat=2))
    found = judged([program], [((a,), of(b)) for a, b in pairs]).passed[0]
    assert found.tolist() == [a == b for a, b in pairs]


LARGE = 20_000


@pytest.mark.parametrize("what", ["dict", "set", "frozenset"])
def test_large_answers_under_a_deadline(judged: Judge, what: str) -> None:
    build = {
        "dict": "{i * 7919: str(i) for i in range(n)}",
        "set": "{i * 7919 for i in range(n)}",
        "frozenset": "frozenset([(i, 'a') for i in range(n)])",
    }[what]
    expected = eval(build, {"n": LARGE})
    other = eval(build, {"n": LARGE - 1})
    other = {**other, "x": 1} if what == "dict" else other | {"x"}
    found = judged(
        [f"def solve(n): return {build}\n"],
        [((LARGE,), expected), ((LARGE,), other)],
        heap="32M",
        steps=None,
        deadline=20.0,
    )
    assert found.passed.tolist() == [[True, False]]
    by_steps = judged(
        [f"ANSWER = (lambda n: {build})({LARGE})\ndef solve(n): return ANSWER\n"],
        [((LARGE,), expected)],
        heap="32M",
    )
    assert by_steps.passed.tolist() == [[True]] and by_steps.steps.max() < 10


def test_a_key_that_is_larger_than_the_heap_equals_nothing(judged: Judge) -> None:
    program = (
        "def solve(k):\n    t = (1,)\n    for _ in range(60): t = (t, t)\n"
        "    u = ()\n    for _ in range(200): u = (u,)\n"
        "    return [{t}, {t: 1}, {u}, {(t, u)}, {1 << 30000}][k]\n"
    )
    cases = [((k,), value) for k in range(5) for value in ({(1, 1)}, {(1,): 1}, {1}, {"a" * 999})]
    assert not judged([program], cases, steps=1_000_000).passed.any()


keys = st.recursive(
    st.none()
    | st.just(...)
    | st.booleans()
    | st.integers()
    | st.integers(-3, 3)
    | st.sampled_from([0.0, -0.0, 1.0, 0.5, -2.0, math.inf, 2.0**63, 1e300, 1j, 1 + 0j, 2 - 1j])
    | st.floats(allow_nan=False)
    | st.text(max_size=20)
    | st.binary(max_size=20),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=20, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(st.sets(keys, max_size=5), st.sets(keys, max_size=5)), max_size=40))
def test_generated_sets_and_dicts(judged: Judge, pairs: list[tuple[set[Any], set[Any]]]) -> None:
    cases: list[tuple[Any, Any]] = []
    for a, b in pairs:
        backwards: set[Any] = set()
        backwards.update(list(a)[::-1])
        cases += [(a, b), (a, backwards), ({k: [k] for k in a}, {k: [k] for k in backwards})]
        cases += [
            (dict.fromkeys(a, 1), dict.fromkeys(b, True)),
            ({(k, k) for k in a}, {(k, k) for k in b}),
        ]
        cases += [([a, {1: a}], [b, {1: b}])]
    if cases:
        found = judged([ECHO], [((a,), b) for a, b in cases]).passed[0]
        assert found.tolist() == [a == b for a, b in cases]


def test_an_expected_value_that_costs_too_much_is_not_compared(
    judged: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("porter.evaluation.patterns.MAX_COST", 1000)
    nans = {float("nan"): i for i in range(10)}
    cases = [((), list(range(300))), ((), 1), ((), {i: i for i in range(50)}), ((), nans)]
    found = judged(["def solve(): return 1", "def solve(): return 1 // 0"], cases, keep="values")
    refused, passed, wrong = CaseStatus.NOT_COMPARED, CaseStatus.PASSED, CaseStatus.WRONG
    raised = [CaseStatus.RAISED] * 4
    assert found.status.tolist() == [[refused, passed, refused, wrong], raised]
    assert found.values is not None and found.values[0] == [1] * 4
    assert set(found.reasons) == {(0, 0), (0, 2)}
    assert all("would cost more" in reason for reason in found.reasons.values())


class NoTruth:
    def __bool__(self) -> bool:
        raise RuntimeError("no truth")


class NoText(Exception):
    def __str__(self) -> str:
        raise ValueError("no text")


def raising(value: Any, expected: Any) -> Any:
    """Compare, and fail in a specific way for some values."""
    if value == 2:
        return NoTruth()
    if value == 3:
        raise NoText
    if value == -1:
        raise BaseException("no Exception")
    if value == 4:
        raise RecursionError("\udc80" * 5000)
    return 6 // (value - 1) == expected


@pytest.mark.parametrize("each", ["case", "program"])
@pytest.mark.parametrize("keep", [(), ("values", "tracebacks", "outputs")])
def test_a_function_that_raises_ends_its_row_alone(
    judged: Judge, each: str, keep: tuple[str, ...]
) -> None:
    cases = [((7,), 1), *(((x,), None) for x in range(1, 5)), ((0,), -6)]
    sources = [ECHO, "def solve(x): return 1 // 0", ECHO]
    found = judged(sources, cases, compare=raising, each=each, keep=keep, batch=2)
    wrong = [CaseStatus.NOT_COMPARED] * 4
    row = [CaseStatus.PASSED, *wrong, CaseStatus.PASSED]
    assert found.status.tolist() == [row, [CaseStatus.RAISED] * 6, row]
    assert set(found.reasons) == {(p, c) for p in (0, 2) for c in range(1, 5)}
    said = [found.reasons[0, case] for case in range(1, 5)]
    assert said[:2] == ["ZeroDivisionError: integer division or modulo by zero",
                        "RuntimeError: no truth"]  # fmt: skip
    assert said[2].endswith("NoText: <exception str() failed>")
    assert said[3].startswith("RecursionError: \\udc80") and said[3].encode()
    assert judged([ECHO], [((-1,), 0)], compare=raising).reasons == {
        (0, 0): "BaseException: no Exception"
    }
    assert found.counts()[CaseStatus.NOT_COMPARED] == 8 and not found.solved.any()
    if keep:
        assert found.tracebacks is not None and found.values is not None
        assert "in raising" in str(found.tracebacks[2][1])
        assert found.values[2] == [7, 1, 2, 3, 4, 0]


# Statements that make a value `a`, and the beginning of the reason why it does not arrive.
NOT_THERE = {
    "a list in itself": ("a = []; a.append(a)", "RecursionError: maximum recursion depth"),
    "a large one": ("a = [1]\n for i in range(40): a = [a, a]", "MemoryError: "),
    "a repr that raises": ("a = Raises()", "ValueError: x"),
    "a repr that goes on": ("a = GoesOn()", "encoding it reached a limit"),
    "a repr that exits": ("a = Exits()", "SystemExit"),
}
CLASSES = """\
class Raises:
 def __repr__(self): raise ValueError("x")
class GoesOn:
 def __repr__(self):
  while True: pass
class Exits:
 def __repr__(self): raise SystemExit
"""


@pytest.mark.parametrize("each", ["case", "program"])
@pytest.mark.parametrize("keep", [("values",), ("values", "tracebacks")])
def test_a_value_that_does_not_arrive_says_why(
    judged: Judge, each: str, keep: tuple[str, ...]
) -> None:
    sources = [f"{CLASSES}def solve(x):\n if x: return x\n {text}\n return a"
               for text, _ in NOT_THERE.values()]  # fmt: skip
    found = judged(sources, [((1,), 1), ((0,), None), ((2,), 2)], each=each, keep=keep)
    assert found.values is not None
    for name, status, values, (_, reason) in zip(
        NOT_THERE, found.status.tolist(), found.values, NOT_THERE.values(), strict=True
    ):
        assert values[0] == 1, name
        if each == "case" or values[2] is not None:  # else a limit ended the interpreter
            assert (status, values[2]) == ([0, 1, 0], 2), name
        assert isinstance(values[1], Unreadable) and values[1].reason.startswith(reason), name


def test_a_function_gets_no_value_that_does_not_arrive(judged: Judge) -> None:
    sources = [f"{CLASSES}def solve():\n {text}\n return a" for text, _ in NOT_THERE.values()]
    seen = []
    found = judged(
        sources, [((), None)], compare=lambda a, b: seen.append(a), keep="values", max_heap=0
    )
    memory, not_compared = CaseStatus.OUT_OF_MEMORY, CaseStatus.NOT_COMPARED
    assert found.status.ravel().tolist() == [memory] * 2 + [not_compared] * 3
    assert not seen and list(found.reasons) == [(p, 0) for p in range(len(sources))]
    assert found.reasons[2, 0] == "ValueError: x"
