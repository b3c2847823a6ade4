"""Random arguments of built-in types and C modules: results and exceptions are CPython's.

An example is a list of calls, which one launch evaluates. The campaign `library-properties` runs
many more examples than the default tier.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from porter.run import Device

from .compare import assert_alike, calls

CAMPAIGN_EXAMPLES = 150
small = st.integers(-6, 12)
integers = st.one_of(
    small,
    st.integers(-(2**70), 2**70),
    st.sampled_from([2**n + d for n in (30, 31, 32, 46, 47, 62, 63, 64, 1023) for d in (-1, 0, 1)]),
)
floats = st.one_of(
    st.floats(),
    st.floats(-1e6, 1e6, width=32),
    st.sampled_from([0.0, -0.0, 0.5, 1.5, 2.5, 1e16, 1e-5, 1e22, 123456789.125]),
)
numbers = st.one_of(small, integers, floats, st.booleans())
texts = st.one_of(
    st.text("abAB 1\t\n-_.é", max_size=10), st.text(max_size=6), st.text("xyz,", max_size=8)
).filter(lambda text: not any(0xD800 <= ord(c) < 0xE000 for c in text))
spaced = st.one_of(
    texts,
    st.text(
        "ab \t\n\x1c\x1f\x85\xa0\u1680\u2000\u200a\u200b\u2028\u202f\u205f\u3000é", max_size=12
    ),
)
data = st.binary(max_size=10)
spaces = st.lists(st.sampled_from(b"ab \t\r\x0b\x1c\x85\xa0"), max_size=10).map(bytes)
short = st.text("abx ,é", max_size=3)
positions = st.one_of(st.none(), st.integers(-12, 12))


def _source(value: object) -> str:
    text = repr(value)
    for name in ("nan", "inf"):
        if isinstance(value, float) and name in text:
            return f"float('{text}')"
    return text


def call(template: str, *arguments: SearchStrategy[Any]) -> SearchStrategy[str]:
    """Return expressions: `template` with the source text of each argument."""
    return st.tuples(*arguments).map(lambda values: template.format(*map(_source, values)))


def _specifications(types: str) -> SearchStrategy[str]:
    return st.tuples(
        st.sampled_from(["", "<", ">", "^", "=", "*<", "0>", "é^", "+", "-"]),
        st.sampled_from(["", "+", " ", "-", "#", "z", "+#", " z"]),
        st.sampled_from(["", "0", "1", "5", "12", "012", "20"]),
        st.sampled_from(["", "", ",", "_"]),
        st.sampled_from(["", "", ".0", ".1", ".3", ".15", ".30"]),
        st.sampled_from([*types, ""]),
    ).map("".join)


codes = st.text("bBhHiIlLqQefds?cpx<>=!@ 2310nNP", min_size=1, max_size=5)

GROUPS: dict[str, tuple[str, list[SearchStrategy[str]]]] = {
    "integers": (
        "",
        [
            *[
                call(f"{{0}} {op} {{1}}", integers, numbers)
                for op in ("+", "-", "*", "/", "//", "%", "<", "==", ">=", "&", "|", "^")
            ],
            call("divmod({0}, {1})", integers, integers),
            call("{0} ** {1}", integers, st.integers(-4, 9)),
            call("pow({0}, {1}, {2})", integers, small, integers),
            call("{0} << {1}, {0} >> {1}", integers, st.integers(-1, 90)),
            call("int({0}), round({0}), -{0}, ~{0}, abs({0})", integers),
            call("round({0}, {1})", integers, small),
            call("int({0})", floats),
            call("int({0}, {1})", st.text("0123456789abzxo_+- ", max_size=6), st.integers(-1, 37)),
            call(
                "({0}).to_bytes({1}, {2}, signed={3})",
                integers,
                st.integers(0, 10),
                st.sampled_from(["big", "little", "x"]),
                st.booleans(),
            ),
            call(
                "int.from_bytes({0}, {1}, signed={2})",
                data,
                st.sampled_from(["big", "little"]),
                st.booleans(),
            ),
            call("({0}).bit_length(), ({0}).bit_count(), hex({0}), oct({0}), bin({0})", integers),
            call("float({0})", integers),
            call("str({0}), hash({0}) == hash(float({0}))", small),
        ],
    ),
    "floats": (
        "",
        [
            *[
                call(f"{{0}} {op} {{1}}", floats, numbers)
                for op in ("+", "-", "*", "/", "//", "%", "<", "==", ">=", "!=")
            ],
            call("divmod({0}, {1})", floats, numbers),
            call("round({0}, {1})", floats, st.integers(-8, 20)),
            call("round({0}), int({0})", floats),
            call("repr({0}), str({0})", floats),
            call("({0}).hex(), ({0}).is_integer(), ({0}).as_integer_ratio()", floats),
            call("float.fromhex(({0}).hex())", floats),
            call("float({0})", st.text("0123456789.eE+-_ infa", max_size=8)),
            call("float(repr({0}))", floats),
            call("min({0}, {1}), max({0}, {1})", floats, floats),
            call("sum({0})", st.lists(st.floats(-1e3, 1e3, width=32), max_size=3)),
        ],
    ),
    "formats": (
        "",
        [
            call("format({0}, {1})", floats, _specifications("eEfFgG%n")),
            call("format({0}, {1})", integers, _specifications("bcdoxXneEfFgG%s")),
            call("format({0}, {1})", texts, _specifications("sd")),
            call("format({0}, {1})", st.booleans(), _specifications("ds")),
            call("'%+.3f' % ({0},)", floats),
            *[
                call(f"'{text}' % ({{0}},)", numbers)
                for text in (
                    "%d",
                    "%5.2f",
                    "%-8g|",
                    "%e",
                    "%x",
                    "%o",
                    "%i",
                    "%+d",
                    "%05d",
                    "%c",
                    "%s",
                    "%r",
                    "%10s|",
                    "%.3s|",
                    "%%%d",
                )
            ],
            call("'{{:{1}}}'.format({0})", floats, small),
            call("'{{0!r:>{1}}}|{{0!s}}'.format({0})", texts, st.integers(0, 9)),
        ],
    ),
    "texts": (
        "",
        [
            *[
                call(f"{{0}}.{name}()", texts)
                for name in (
                    "upper",
                    "lower",
                    "title",
                    "capitalize",
                    "swapcase",
                    "casefold",
                    "splitlines",
                    "isalpha",
                    "isdigit",
                    "isalnum",
                    "isupper",
                    "islower",
                    "istitle",
                    "isspace",
                    "isidentifier",
                    "isdecimal",
                    "isprintable",
                    "encode",
                    "expandtabs",
                )
            ],
            call("{0}.split({1}, {2})", texts, short, small),
            call("{0}.split(), {0}.rsplit()", spaced),
            call("{0}.split(None, {1}), {0}.rsplit(None, {1})", spaced, small),
            call("{0}.strip(), {0}.lstrip(), {0}.rstrip(None)", spaced),
            call("{0}.rsplit({1}, {2})", texts, short, small),
            call("{0}.rsplit({1}, {2}), {1}.rsplit({0}, {2})", texts, data, small),
            call("{0}.partition({1}), {0}.rpartition({1})", texts, short),
            call("{0}.find({1}, {2}, {3})", texts, short, positions, positions),
            call("{0}.rfind({1}, {2}, {3})", texts, short, positions, positions),
            call("{0}.index({1})", texts, short),
            call("{0}.count({1}, {2}, {3})", texts, short, positions, positions),
            call("{0}.startswith({1}, {2}, {3})", texts, short, positions, positions),
            call("{0}.endswith(({1}, {2}))", texts, short, short),
            call("{0}.replace({1}, {2}, {3})", texts, short, short, small),
            call("{0}.strip({1}), {0}.lstrip({1}), {0}.rstrip({1})", texts, short),
            call("{0}.center({1}, {2})", texts, small, st.text("*é", min_size=1, max_size=2)),
            call("{0}.ljust({1}), {0}.rjust({1}), {0}.zfill({1})", texts, st.integers(-2, 14)),
            call("{0}.removeprefix({1}), {0}.removesuffix({1})", texts, short),
            call("{0}.join({1})", short, st.lists(short, max_size=4)),
            call("{0}.translate({{97: None, 98: 'zz'}})", texts),
            call("{0}[{1}:{2}:{3}]", texts, positions, positions, positions),
            call("{0} * {1} + {2}", short, small, texts),
            call("{0} < {1}, {0} in {1}, {0} == {1}", short, texts),
            call("repr({0}), ascii({0}), ascii([{0}])", texts),
            call(
                "{0}.splitlines({1})",
                st.text("a\n\r\x0b\x0c\x1c\x85\u2028", max_size=6),
                st.booleans(),
            ),
        ],
    ),
    "bytes": (
        "",
        [
            call("{0}.split({1}, {2})", data, st.binary(max_size=2), small),
            call("{0}.replace({1}, {2})", data, st.binary(max_size=1), st.binary(max_size=2)),
            call("{0}.split(None, {1}), {0}.rsplit(None, {1})", spaces, small),
            call("bytearray({0}).rsplit({1}, {2})", data, st.binary(max_size=2), small),
            call("{0}.hex(), bytes.fromhex({0}.hex())", data),
            *[
                call(f"{kind}({{0}}).hex({{1}}, {{2}})", data, st.text(":-é", max_size=2), small)
                for kind in ("bytes", "bytearray", "memoryview")
            ],
            call("{0}.hex(b'-'), {0}.hex(sep=':', bytes_per_sep={1})", data, small),
            call("(lambda b: (b.reverse(), b.copy(), b.clear(), b))(bytearray({0}))", data),
            call(
                "(lambda b: (b.insert({1}, {2}), bytes(b), b.pop({1}), bytes(b)))(bytearray({0}))",
                data,
                small,
                small,
            ),
            call(
                "(lambda b: (b.remove({1}), bytes(b)))(bytearray({0}))", data, st.integers(-1, 256)
            ),
            call("(lambda b: (b.pop(), bytes(b)))(bytearray({0}))", data),
            call("{0}.find(b'', {1}, {2}), {0}.count(b'', {1}, {2})", data, positions, positions),
            call("{0}.find({1}), {0}.rfind({1}), {0}.count({1})", data, st.binary(max_size=1)),
            call("{0}[{1}:{2}:{3}]", data, positions, positions, positions),
            call(
                "{0}.decode({1}, {2})",
                data,
                st.sampled_from(["utf-8", "ascii", "latin-1"]),
                st.sampled_from(["strict", "ignore", "replace", "backslashreplace"]),
            ),
            call("bytes(bytearray({0}) + {1}), {0} * {2}", data, data, small),
            call("{0} < {1}, {0} == bytearray({1})", data, data),
            call("repr({0})", data),
            call("(lambda b: (b.extend({1}), b.append(7), bytes(b)))(bytearray({0}))", data, data),
        ],
    ),
    "struct": (
        "import struct\nfrom array import array",
        [
            call("struct.calcsize({0})", codes),
            call("struct.unpack({0}, {1})", codes, data),
            call("struct.unpack_from({0}, {1}, {2})", codes, data, small),
            call("list(struct.iter_unpack({0}, {1}))", st.sampled_from("bBh2s?"), data),
            *[
                call(f"struct.pack('{order}{code}', {{0}})", integers)
                for order in "<>@"
                for code in "bBhHiIqQ"
            ],
            call("struct.pack('<d', {0}), struct.pack('>d', {0})", floats),
            call("struct.pack('<f', {0}), struct.pack('>e', {1})", floats, floats),
            call("struct.pack('5s5p', {0}, {0})", data),
            call("array('h', {0}).tobytes()", st.lists(st.integers(-40000, 40000), max_size=4)),
            call(
                "(lambda a: (a.insert({1}, 5), a.pop({2}), a))(array('i', {0}))",
                st.lists(small, max_size=5),
                small,
                small,
            ),
            call(
                "array('i', {0}) < array('b', {1}), array('i', {0}) == array('d', {0})",
                st.lists(small, max_size=3),
                st.lists(small, max_size=3),
            ),
            call(
                "(lambda a: (a.byteswap(), a.tolist()))(array('H', {0}))",
                st.lists(st.integers(0, 65535), max_size=4),
            ),
        ],
    ),
    "containers": (
        "",
        [
            call("{0}[{1}:{2}:{3}]", st.lists(small, max_size=8), positions, positions, positions),
            call(
                "(lambda a: (a.__setitem__(slice({1}, {2}), {3}), a))({0})",
                st.lists(small, max_size=6),
                positions,
                positions,
                st.lists(small, max_size=3),
            ),
            call(
                "(lambda a: (a.__delitem__(slice({1}, {2}, {3})), a))({0})",
                st.lists(small, max_size=6),
                positions,
                positions,
                positions,
            ),
            call("sorted({0}), sorted({0}, reverse=True)", st.lists(small, max_size=8)),
            call(
                "{0} < {1}, {0} == {1}, {0} + {1}",
                st.lists(small, max_size=3),
                st.lists(small, max_size=3),
            ),
            call(
                "{0} | {1}, {0} & {1}, {0} - {1}, {0} ^ {1}, {0} <= {1}",
                st.sets(small),
                st.sets(small),
            ),
            call("list(range({0}, {1}, {2}))", small, small, small),
            call("range({0}, {1}, {2})[{3}:{4}]", small, small, small, positions, positions),
            call(
                "list(zip({0}, {1})), list(map(max, {0}, {0}))",
                st.lists(small, max_size=4),
                st.lists(small, max_size=4),
            ),
            call("{0}.index({1}), {0}.count({1})", st.lists(small, max_size=6), small),
            call(
                "(lambda d: (d.pop({1}, None), d.setdefault({2}, 0), d))({0})",
                st.dictionaries(small, small, max_size=5),
                small,
                small,
            ),
            call("all({0}), any({0}), sum({0}), max({0}), min({0})", st.lists(small, max_size=4)),
        ],
    ),
    "random": (
        "import random",
        [
            # CPython's cos is that of the machine, whose last digit may be wrong.
            call(
                "(lambda r: [r.random(), r.randrange({1}), r.getrandbits(70),"
                " round(r.gauss(0, 1), 12)])(random.Random({0}))",
                st.one_of(integers, texts),
                st.integers(0, 1000),
            ),
            call(
                "(lambda r: [r.sample(range(20), {1}), r.choice('abc'), r.uniform(1, 2)])"
                "(random.Random({0}))",
                integers,
                st.integers(0, 21),
            ),
            call(
                "(lambda r, a: (r.shuffle(a), a, r.choices(a, k={1})))"
                "(random.Random({0}), list(range(9)))",
                integers,
                st.integers(0, 5),
            ),
            call(
                "(lambda r: [r.randint({1}, {2}), r.triangular(), r.vonmisesvariate(0, 0)])"
                "(random.Random({0}))",
                integers,
                small,
                small,
            ),
        ],
    ),
}

values = st.recursive(
    st.one_of(st.none(), st.booleans(), small, integers, floats, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)
GROUPS["json"] = (
    "import json",
    [
        call("json.dumps({0})", values),
        call("json.dumps({0}, indent={1}, sort_keys=True)", values, st.sampled_from([None, 0, 2])),
        call("json.dumps({0}, ensure_ascii=False, separators=(',', ':'))", values),
        call("repr(json.loads(json.dumps({0})))", values),
        call("json.loads({0})", st.text('[]{}",:0123456789.eE-+truefalsn \\', max_size=12)),
    ],
)


def _check(group: str, examples: int, device: Device) -> None:
    imports, expressions = GROUPS[group]
    many = st.lists(st.one_of(*expressions), min_size=80, max_size=120)

    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(expressions=many)
    def test(expressions: list[str]) -> None:
        assert_alike(device, calls(imports, expressions))

    run: Callable[[], None] = test
    run()


@pytest.mark.parametrize("group", GROUPS)
def test_functions(any_device: Device, group: str) -> None:
    _check(group, 3, any_device)


@pytest.mark.campaign("library-properties")
@pytest.mark.parametrize("any_device", ["host"], indirect=True)
@pytest.mark.parametrize("group", GROUPS)
def test_many_functions(any_device: Device, group: str) -> None:
    _check(group, CAMPAIGN_EXAMPLES, any_device)
