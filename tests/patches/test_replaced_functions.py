"""Replaced functions agree with upstream's: the same programs on builds with and without them."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porter.base import paths
from porter.config import BuildConfig
from porter.patches import load_series
from porter.pipeline import build
from porter.run import Device, Launch, open_device, run
from porter.sync.lock import newest_release

pytestmark = [pytest.mark.campaign("replaced-functions"), pytest.mark.xdist_group("replaced")]

REPLACING = ",".join(sorted({patch.name for patch in load_series() if patch.replacements}))
HEAP = 1 << 20
STDOUT = 1 << 18  # bytes: more than the expressions of an example print
EVALUATE = """
import heapq
from collections import OrderedDict
for expression in EXPRESSIONS:
    try:
        print(repr(eval(expression)))
    except Exception as error:
        print(type(error).__name__)
"""
Pair = Callable[[list[str]], tuple[list[str], list[str]]]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """Return a function that evaluates expressions on a build with and without the replacements."""
    release = newest_release()
    if not (paths.upstream_dir() / release / "py").is_dir():
        pytest.skip(f"{release} is not synced")
    # The patch `syntax`, which frozen modules need, requires some of these patches.
    ours = build(BuildConfig(release=release, heap=HEAP, library="none"))
    without = BuildConfig(release=release, heap=HEAP, library="none", skip_patches=REPLACING)
    theirs = build(without, folder=tmp_path_factory.mktemp("without") / "sources")
    assert {one.name for one in theirs.patches.skipped} >= set(REPLACING.split(","))
    devices = [open_device(one.folder, "host") for one in (ours, theirs)]

    def lines(device: Device, expressions: list[str]) -> list[str]:
        # A new interpreter each time: constant strings stay for as long as an interpreter lives.
        source = f"EXPRESSIONS = {expressions!r}\n{EVALUATE}"
        result = run(device, [source], 1, Launch(heap=HEAP, stdout=STDOUT))
        assert result.statuses.count(result.status, "OK") == 1, result.stderr[0]
        return result.stdout[0].decode().splitlines()

    def both(expressions: list[str]) -> tuple[list[str], list[str]]:
        found = lines(devices[0], expressions), lines(devices[1], expressions)
        assert len(found[0]) == len(found[1]) == len(expressions)
        return found

    return both


def examples(count: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return the settings of a test that runs `count` programs of many expressions."""
    return settings(max_examples=count, deadline=None, suppress_health_check=list(HealthCheck))


def value(line: str) -> str:
    """Return a printed value in one form: upstream escapes more characters of texts."""
    try:
        return repr(ast.literal_eval(line))
    except (ValueError, SyntaxError):
        return line.replace(
            "UnicodeDecodeError", "UnicodeError"
        )  # upstream has the base class only


def same(pair: Pair, expressions: list[str]) -> None:
    ours, theirs = pair(expressions)
    for expression, left, right in zip(expressions, ours, theirs, strict=True):
        assert value(left) == value(right), expression


INTEGERS = st.integers(-(10**120), 10**120) | st.integers(-(2**70), 2**70)


@examples(60)
@given(st.lists(st.tuples(INTEGERS, INTEGERS, st.integers(0, 40)), min_size=1, max_size=12))
def test_integers(pair: Pair, rows: list[tuple[int, int, int]]) -> None:
    """mpz_mul_inpl, mpz_divmod_inpl, mpz_pow_inpl, mpz_pow3_inpl, mpz_set_from_str."""
    expressions = []
    for a, b, n in rows:
        expressions += [f"({a}) * ({b})", f"({a}) // ({b})", f"({a}) % ({b})", f"({a}) ** {n % 9}"]
        expressions += [f"pow({abs(a)}, {n}, {abs(b) + 1})", f"divmod({a}, {b})"]
        expressions += [f"int('{a:x}', 16)", f"int('{a}')", f"int('{a:o}', 8)", f"'%x' % ({a})"]
    same(pair, expressions)


@examples(40)
@given(st.lists(INTEGERS, min_size=1, max_size=20))
def test_floats_of_integers(pair: Pair, numbers: list[int]) -> None:
    """mpz_as_float: the replacement gives the nearest float, and upstream's is near it."""
    ours, theirs = pair([f"float({number})" for number in numbers])
    for number, left, right in zip(numbers, ours, theirs, strict=True):
        assert float(left) == float(number)
        assert math.isclose(float(left), float(right), rel_tol=1e-13)


@examples(40)
@given(st.lists(st.integers(-4000, 4000), min_size=1, max_size=20))
def test_printed_floats(pair: Pair, eighths: list[int]) -> None:
    """mp_print_float, of numbers that both print exactly."""
    numbers = [number / 8 for number in eighths]
    shown = [f"str({n!r})" for n in numbers] + [f"'%.3f|%8.2e' % ({n!r}, {n!r})" for n in numbers]
    same(pair, shown + [f"'{{:+09.3f}}'.format({n!r})" for n in numbers])


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40)


@examples(60)
@given(st.lists(st.tuples(TEXTS, TEXTS, st.integers(-45, 45)), min_size=1, max_size=12))
def test_texts(pair: Pair, rows: list[tuple[str, str, int]]) -> None:
    """utf8_charlen, utf8_ptr_to_index, qstr_find_strn."""
    expressions = []
    for text, part, at in rows:
        a, b = ascii(text), ascii(part)
        expressions += [f"len({a})", f"({a} + {b}).find({b})", f"{a}.rfind({b})", f"{a}.count({b})"]
        expressions += [f"{a}[{at}]", f"{a}[{at}:]", f"{a}.split({b})", f"{a}.rsplit({b})"]
        expressions += [f"{{{a}: 1}}.get({a})", f"getattr(OrderedDict, {a}, 'none') == 'none'"]
    same(pair, expressions)


@examples(60)
@given(st.lists(st.binary(max_size=24) | TEXTS.map(str.encode), min_size=1, max_size=30))
def test_utf8(pair: Pair, data: list[bytes]) -> None:
    """utf8_check."""
    same(pair, [f"len({one!r}.decode())" for one in data])


ITEMS = st.lists(
    st.integers(-9, 9) | st.booleans() | st.none() | st.text("ab", max_size=2), max_size=8
)
SEQUENCES = st.recursive(ITEMS, lambda of: st.lists(of, max_size=4), max_leaves=10)


@examples(60)
@given(st.lists(st.tuples(SEQUENCES, SEQUENCES), min_size=1, max_size=20))
def test_sequences(pair: Pair, rows: list[tuple[list[object], list[object]]]) -> None:
    """mp_seq_cmp_objs, list_count, list_index."""
    expressions = []
    for left, right in rows:
        for op in ("==", "!=", "<", "<=", ">", ">="):
            expressions += [f"{left!r} {op} {right!r}", f"tuple({left!r}) {op} tuple({right!r})"]
        for item in right[:2]:
            expressions += [f"{left!r}.count({item!r})", f"{left!r}.index({item!r}, 1)"]
    same(pair, expressions)


POPPED = "[heapq.heappop(h) for _ in range(len(h))]"


@examples(60)
@given(st.lists(st.lists(st.integers(-99, 99), max_size=30), min_size=1, max_size=12))
def test_sorted(pair: Pair, rows: list[list[int]]) -> None:
    """mp_obj_list_sort, heapq_heap_siftdown, heapq_heap_siftup."""
    expressions = []
    for row in rows:
        expressions += [f"sorted({row!r})", f"sorted({row!r}, reverse=True)"]
        expressions += [
            f"sorted({row!r}, key=lambda n: -n)",
            f"{row!r}.sort(1)",
            f"{row!r}.sort(a=1)",
        ]
        expressions += [
            f"(lambda h: (heapq.heapify(h), [heapq.heappop(h) for _ in range(len(h))], h))({row!r})"
        ]
        expressions += [f"(lambda h: ([heapq.heappush(h, n) for n in {row!r}], h))([])"]
    same(pair, expressions)


KEYS = (
    st.integers(-50, 50)
    | st.text("abc", max_size=3)
    | st.booleans()
    | st.integers(2**60, 2**60 + 9)
)
STEPS = st.lists(st.tuples(st.sampled_from(["set", "pop", "get"]), KEYS), max_size=80)
APPLY = """(lambda d: ([d.__setitem__(k, n) if s == 'set' else d.pop(k, None) if s == 'pop'
 else d.get(k) for n, (s, k) in enumerate({steps})], len(d), {shown}))({made})"""
SETS = """(lambda d: ([d.add(k) if s == 'set' else d.discard(k) if s == 'pop'
 else k in d for s, k in {steps}], len(d), sorted(map(str, d)),
 sorted(str(d.pop()) for _ in range(len(d)))))(set())"""


@examples(80)
@given(st.lists(STEPS, min_size=1, max_size=6))
def test_tables(pair: Pair, programs: list[list[tuple[str, object]]]) -> None:
    """mp_map_lookup, mp_map_rehash, mp_set_lookup, mp_set_rehash, mp_set_remove_first."""
    expressions = []
    for steps in programs:
        shown = "sorted((str(k), v) for k, v in d.items())"
        for made, order in (("{}", shown), ("OrderedDict()", "list(d.items())")):
            expressions.append(APPLY.format(steps=steps, shown=order, made=made).replace("\n", ""))
        expressions.append(SETS.format(steps=steps).replace("\n", ""))
    same(pair, expressions)


@examples(40)
@given(st.lists(st.floats() | st.integers(-99, 99).map(float), min_size=1, max_size=20))
def test_hashes_of_floats(pair: Pair, numbers: list[float]) -> None:
    """mp_float_hash: equal numbers have equal hashes, and infinities CPython's."""
    ours, _ = pair([f"hash(float('{number!r}'))" for number in numbers])
    for number, found in zip(numbers, ours, strict=True):
        if math.isinf(number):
            assert int(found) == hash(number)
    whole = [int(number) for number in numbers if math.isfinite(number) and abs(number) < 2**53]
    equal, _ = pair([f"hash({n}) == hash(float({n}))" for n in whole] or ["True"])
    assert set(equal) == {"True"}
