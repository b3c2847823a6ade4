"""Random arguments: each function of the library returns or raises what CPython's does.

An example is a list of calls, which one launch evaluates. Hypothesis shrinks a failing example to
one call.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from porter.run import Device

from .compare import assert_alike, calls

small = st.integers(-5, 12)
integers = st.one_of(small, st.integers(-(10**30), 10**30))
floats = st.floats(allow_nan=False, allow_infinity=False, width=32)
words = st.text("ab-c \n", max_size=12)
numbers = st.lists(small, max_size=8)
keys = st.sampled_from([None, "lambda x: -x", "abs"])

FewExamples = Callable[[Callable[..., None]], Callable[..., None]]


def batches(*expressions: SearchStrategy[str]) -> FewExamples:
    """Decorate a test with lists of expressions, many in each of few examples."""
    few = settings(
        max_examples=8,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    many = st.lists(st.one_of(*expressions), min_size=40, max_size=60)

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        return few(given(expressions=many)(test))

    return decorate


def call(template: str, *arguments: SearchStrategy[Any]) -> SearchStrategy[str]:
    """Return expressions: `template` with the source text of each argument."""
    return st.tuples(*arguments).map(lambda values: template.format(*map(_source, values)))


def _source(value: object) -> str:
    return value if isinstance(value, str) and value.startswith("lambda ") else repr(value)


pairs = st.lists(st.tuples(small, small), max_size=6)


@batches(
    call("sorted(Counter({0}).items())", words),
    call("sorted((Counter({0}) + Counter({1})).items())", words, words),
    call("sorted((Counter({0}) - Counter({1})).items())", words, words),
    call("sorted((Counter({0}) & Counter({1})).items())", words, words),
    call("sorted((Counter({0}) | Counter({1})).items())", words, words),
    call("Counter({0}) == Counter({1})", numbers, numbers),
    call("Counter({0}) <= Counter({1})", numbers, numbers),
    call("sorted([n for _, n in Counter({0}).most_common({1})])", words, small),
    call("sorted(Counter({0}).elements())", words),
    call("list(OrderedDict({0}).items())", pairs),
    call("OrderedDict({0}) == OrderedDict({1})", pairs, pairs),
    call("ChainMap(dict({0}), dict({1})).get({2})", pairs, pairs, small),
    call("sorted(ChainMap(dict({0}), dict({1})).items())", pairs, pairs),
    call("sorted(UserDict(dict({0})).items())", pairs),
    call("UserList({0}) + {1}", numbers, numbers),
    call("namedtuple('P', 'x y')({0}, {1})", small, small),
    call("namedtuple('P', 'x y')({0}, {1})._replace(x={1}) < ({0}, {1})", small, small),
)
def test_collections(any_device: Device, expressions: list[str]) -> None:
    imports = "from collections import ChainMap, Counter, OrderedDict, UserDict, UserList\n"
    imports += "from collections import namedtuple"
    assert_alike(any_device, calls(imports, expressions))


@batches(
    call("list(accumulate({0}))", numbers),
    call("list(accumulate({0}, lambda a, b: a * b, initial={1}))", numbers, small),
    call("list(chain({0}, {1}))", numbers, words),
    call("list(compress({0}, {1}))", numbers, numbers),
    call("list(dropwhile(lambda x: x < {0}, {1}))", small, numbers),
    call("list(takewhile(lambda x: x < {0}, {1}))", small, numbers),
    call("list(filterfalse(lambda x: x < {0}, {1}))", small, numbers),
    call("[(k, list(g)) for k, g in groupby({0})]", words),
    call("[k for k, g in groupby({0}, lambda x: x % 3)]", numbers),
    call("list(islice({0}, {1}))", numbers, small),
    call("list(islice({0}, {1}, {2}))", numbers, small, small),
    call("list(islice({0}, {1}, {2}, {3}))", numbers, small, small, small),
    call("list(pairwise({0}))", words),
    call("[list(part) for part in tee({0}, {1})]", words, st.integers(0, 3)),
    call("list(zip_longest({0}, {1}, fillvalue={2}))", numbers, words, small),
    call("list(product({0}, {1}))", st.text("ab", max_size=3), st.text("cd", max_size=3)),
    call("list(product({0}, repeat={1}))", st.text("ab", max_size=2), st.integers(0, 3)),
    call("list(permutations({0}))", st.text("abc", max_size=4)),
    call("list(permutations({0}, {1}))", st.text("abc", max_size=4), st.integers(-1, 5)),
    call("list(combinations({0}, {1}))", st.text("abc", max_size=5), st.integers(-1, 6)),
    call(
        "list(combinations_with_replacement({0}, {1}))",
        words.map(lambda s: s[:4]),
        small.map(lambda n: n % 4),
    ),
)
def test_itertools(any_device: Device, expressions: list[str]) -> None:
    assert_alike(any_device, calls("from itertools import *", expressions))


@batches(
    call("reduce(lambda a, b: a - b, {0})", numbers),
    call("reduce(lambda a, b: a - b, {0}, {1})", numbers, small),
    call("partial(pow, {0})({1})", small, st.integers(0, 5)),
    call("sorted({0}, key=cmp_to_key(lambda a, b: b - a))", numbers),
    call("[cached(n) for n in {0}]", numbers),
    call("itemgetter({1})({0})", numbers, st.integers(-3, 3)),
    call("itemgetter(0, {1})({0})", words, st.integers(-3, 3)),
    call("floordiv({0}, {1})", integers, integers),
    call("mod({0}, {1})", integers, integers),
    call("xor({0}, {1})", small, small),
    call("countOf({0}, {1})", numbers, small),
    call("indexOf({0}, {1})", numbers, small),
    call("contains({0}, {1})", numbers, small),
    call("concat({0}, {1})", words, words),
)
def test_functools_and_operator(any_device: Device, expressions: list[str]) -> None:
    imports = "from functools import cmp_to_key, lru_cache, partial, reduce\n"
    imports += (
        "from operator import concat, contains, countOf, floordiv, indexOf, itemgetter, mod\n"
    )
    imports += "from operator import xor\n@lru_cache(maxsize=3)\ndef cached(n):\n    return n * n\n"
    assert_alike(any_device, calls(imports, expressions))


@batches(
    call("(lambda h: (heapq.heapify(h), heapq.heappushpop(h, {1}), h)[1:])({0})", numbers, small),
    call("(lambda h: (heapq.heapify(h), heapq.heapreplace(h, {1}), h)[1:])({0})", numbers, small),
    call("heapq.nlargest({0}, {1})", small, numbers),
    call("heapq.nsmallest({0}, {1}, key=lambda x: -x)", small, numbers),
    call("list(heapq.merge(sorted({0}), sorted({1}), sorted({2})))", numbers, numbers, numbers),
    call(
        "list(heapq.merge(sorted({0}, reverse=True), sorted({1}, reverse=True), reverse=True))",
        numbers,
        numbers,
    ),
    call(
        "list(heapq.merge(sorted({0}, key=abs), sorted({1}, key=abs), key=abs))", numbers, numbers
    ),
    call("bisect.bisect_left(sorted({0}), {1})", numbers, small),
    call("bisect.bisect_right(sorted({0}), {1}, {2})", numbers, small, small),
    call("bisect.bisect(sorted({0}, key=abs), {1}, key=abs)", numbers, small),
    call("(lambda a: (bisect.insort(a, {1}), a))(sorted({0}))", numbers, small),
)
def test_heapq_and_bisect(any_device: Device, expressions: list[str]) -> None:
    assert_alike(any_device, calls("import bisect, heapq", expressions))


@batches(
    call("math.gcd({0}, {1})", integers, integers),
    call("math.lcm({0}, {1})", integers, integers),
    call("math.comb({0}, {1})", st.integers(-2, 60), st.integers(-2, 60)),
    call("math.perm({0}, {1})", st.integers(-2, 40), st.integers(-2, 40)),
    call("math.isqrt({0})", integers),
    call("math.prod({0})", numbers),
    call("math.hypot({0}, {1})", floats, floats),
    call("math.hypot({0}, {1}, {2})", floats, floats, floats),
    call("math.dist([{0}, {1}], [{2}, {0}])", floats, floats, floats),
    call("math.fsum({0})", st.lists(st.floats(-1e300, 1e300), max_size=8)),
    call("math.fsum({0})", st.lists(st.floats(-1e16, 1e16), max_size=8)),
    call("math.remainder({0}, {1})", floats, floats),
    call("math.nextafter({0}, {1})", floats, floats),
    call("math.ulp({0})", floats),
    call("math.factorial({0})", small),
    call("math.floor({0}) + math.ceil({0}) + math.trunc({0})", floats),
)
def test_math(any_device: Device, expressions: list[str]) -> None:
    assert_alike(any_device, calls("import math", expressions))


@batches(
    call("F({0}) + F({1})", st.integers(-9, 9), integers),
    call("F({0}, {1})", small, small),
    call("F({0}, 7) / F({1}, 3)", small, small),
    call("F({0}, 7) // F({1}, 3)", small, small),
    call("F({0}, 7) % F({1}, 3)", small, small),
    call("F({0}, 7) ** {1}", small, small),
    call("F({0}, 7) < F({1}, 3)", small, small),
    call("F({0}, 7) == {1}", small, floats),
    call("F({0})", floats),
    call("float(F({0}, {1}))", integers, integers),
    call("F({0}).limit_denominator({1})", floats, st.integers(1, 1000)),
    call("s.mean({0})", numbers),
    call("s.mean({0})", st.lists(floats, max_size=6)),
    call("s.median({0})", numbers),
    call("s.mode({0})", numbers),
    call("s.stdev({0})", numbers),
    call("s.pvariance({0})", st.lists(floats, max_size=6)),
    call("s.pstdev({0})", st.lists(floats, max_size=6)),
    call("s.quantiles({0} + [1, 2])", numbers),
    call("s.fmean({0})", st.lists(floats, max_size=6)),
)
def test_fractions_and_statistics(any_device: Device, expressions: list[str]) -> None:
    imports = "from fractions import Fraction as F\nimport statistics as s"
    assert_alike(any_device, calls(imports, expressions))


seeds = st.one_of(st.integers(-(2**80), 2**80), words, floats)


@batches(
    call("(r.seed({0}), r.random(), r.getrandbits({1}))[1:]", seeds, st.integers(0, 100)),
    call("(r.seed({0}), r.randint({1}, {2}))[1:]", seeds, small, small),
    call("(r.seed({0}), r.randrange({1}, {2}, {3}))[1:]", seeds, small, small, small),
    call("(r.seed({0}), r.choice({1}))[1:]", seeds, numbers),
    call("(r.seed({0}), r.choices({1}, k=3))[1:]", seeds, words),
    call("(r.seed({0}), r.sample(range({1}), {2}))[1:]", seeds, st.integers(0, 200), small),
    call("(lambda a: (r.seed({0}), r.shuffle(a), a))({1})[2:]", seeds, numbers),
    call("(r.seed({0}), r.uniform({1}, {2}), r.triangular({1}, {2}))[1:]", seeds, floats, floats),
    call("(r.seed({0}), r.gauss(0, 1), r.gauss(2, 3))[1:]", seeds),
    call("(r.seed({0}), r.expovariate(2.0), r.gammavariate(1, 2))[1:]", seeds),
)
def test_random(any_device: Device, expressions: list[str]) -> None:
    assert_alike(any_device, calls("import random as r", expressions))


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), integers, floats, words),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(words, inner, max_size=1)),
    max_leaves=8,
)
json_texts = st.one_of(
    json_values.map(json.dumps),
    st.text('[]{}",:0123456789.eE+-truefalsn \\u', max_size=10),
)


def _changed(text: str, position: int, piece: str) -> str:
    at = position % (len(text) + 1)
    return text[:at] + piece + text[at + len(piece) % 2 :]


# Valid texts with one change: most are almost valid.
json_words = ["0", "-", ".", "e", "E+", ",", ":", "[", "]", "{", "}", '"', '""', "1e999"]
json_words += ["\\", "\\u00e9", "\\ud834", "\\/", "\\x", "é", "nul", "NaN", "Infinity"]
json_pieces = st.sampled_from([*json_words, "", *"\n\t\v\f\0\xa0"])
almost_json = st.builds(_changed, json_values.map(json.dumps), st.integers(0, 200), json_pieces)


@batches(call("json.loads({0})", almost_json), call("json.loads({0})", json_texts))
def test_texts_that_are_almost_json(any_device: Device, expressions: list[str]) -> None:
    assert_alike(any_device, calls("import json", expressions))


def test_deep_and_long_json(any_device: Device) -> None:
    texts = [
        "'[' * {n} + ']' * {n}",
        "'[' * {n}",
        "'{{\"a\":' * {n} + '1' + '}}' * {n}",
        "'1' * {n}",
    ]
    expressions = [f"json.loads({text.format(n=n)})" for text in texts for n in (1, 63, 64, 65, 90)]
    assert_alike(any_device, calls("import json", expressions))


@batches(
    call("json.dumps({0})", json_values),
    call("json.dumps({0}, indent={1})", json_values, st.integers(0, 3)),
    call("json.dumps({0}, separators=(',', ':'), sort_keys=True)", json_values),
    call("json.loads({0})", json_texts),
)
def test_json(any_device: Device, expressions: list[str]) -> None:
    assert_alike(any_device, calls("import json", expressions))


texts = st.text("ab-. \n\t", max_size=60)


@batches(
    call("textwrap.wrap({0}, {1})", texts.map(str.lstrip), st.integers(4, 20)),
    call("textwrap.dedent({0})", texts),
    call("textwrap.indent({0}, '> ')", texts),
    call("textwrap.shorten({0}, {1})", texts, st.integers(6, 20)),
    call("pprint.pformat({0}, width={1})", json_values, st.integers(5, 40)),
    call("string.capwords({0})", texts),
    call("string.Template({0}).safe_substitute(a=1, b='x')", st.text("$ab{{}} ", max_size=12)),
    call("copy.deepcopy({0})", json_values),
)
def test_texts(any_device: Device, expressions: list[str]) -> None:
    assert_alike(any_device, calls("import copy, pprint, string, textwrap", expressions))


data = st.binary(max_size=150)


@batches(
    *[call(f"base64.{name}encode({{0}})", data) for name in ("b64", "b32", "b16", "b85")],
    call("base64.b64decode({0})", st.text("abAB01+/=", max_size=12)),
    call("base64.b32decode({0})", st.text("AB27=", max_size=16)),
    *[call(f"hashlib.{name}({{0}}).hexdigest()", data) for name in ("md5", "sha1", "sha512")],
)
def test_encodings(any_device: Device, expressions: list[str]) -> None:
    assert_alike(any_device, calls("import base64, hashlib", expressions))


dates = st.dates()
times = st.datetimes()


@batches(
    call("({0} - {1}).days", dates, dates),
    call("str({0} + datetime.timedelta({1}))", dates, st.integers(-1000, 1000)),
    call("{0}.isocalendar()[:], {0}.weekday(), {0}.timetuple()[:8]", dates),
    call("{0}.strftime('%Y-%m-%d %H:%M:%S.%f %j %U %W %a %b %p %I %y %%')", times),
    call("str({0} - {1})", times, times),
    call("{0} < {1}", times, times),
    call("datetime.datetime.fromisoformat({0}).isoformat()", times.map(str)),
    call(
        "datetime.datetime.strptime({0}, '%Y-%m-%d %H:%M:%S').isoformat()",
        st.one_of(times.map(lambda t: str(t)[:19]), words),
    ),
    call(
        "str(datetime.timedelta({0}, {1}, {2}))",
        small,
        st.integers(-90000, 90000),
        integers.map(lambda n: n % 10**9),
    ),
    call("str(datetime.timedelta(seconds={0}) * {1})", small, floats.map(lambda x: x % 100)),
    call("calendar.monthcalendar({0}, {1})", st.integers(1, 9999), st.integers(1, 12)),
)
def test_dates(any_device: Device, expressions: list[str]) -> None:
    assert_alike(any_device, calls("import calendar, datetime", expressions))


digits = st.one_of(
    st.decimals(-(10**9), 10**9, places=3).map(str),
    st.decimals(allow_nan=False, allow_infinity=False)
    .map(str)
    .filter(lambda s: "E" not in s or abs(int(s.split("E")[1])) < 30),
    st.sampled_from(["0", "-0", "NaN", "Infinity", "-Infinity", "1E+5", "2.5", "x"]),
)


@batches(
    *[
        call(f"D({{0}}) {op} D({{1}})", digits, digits)
        for op in ("+", "-", "*", "/", "//", "%", "<", "==", ">=")
    ],
    call("D({0}).quantize(D('0.01'))", digits),
    call("D({0}).quantize(D('1E+1'), rounding='ROUND_HALF_UP')", digits),
    call("D({0}).sqrt(), D({0}).normalize(), -D({0}), abs(D({0}))", digits),
    call("D({0}).to_integral_value(), D({0}).as_tuple()[:]", digits),
    call("D({0}) ** {1}", digits, st.integers(-3, 5)),
    call(
        "D({0}).ln().quantize(D('1e-20')), D({0}).log10()", digits.filter(lambda s: "E-" not in s)
    ),
    call("D({0}).exp()", st.integers(-50, 50)),
    call("int(D({0})), float(D({0}))", digits),
    call(
        "D({0}).__format__('{1}')".replace("'{1}'", "{1}"),
        digits,
        st.sampled_from(["", ".2f", "10.3f", ",.1f", "e", ".3e", "+", "08.1f", "<9", "%"]),
    ),
)
def test_decimal(any_device: Device, expressions: list[str]) -> None:
    assert_alike(any_device, calls("from decimal import Decimal as D", expressions))
