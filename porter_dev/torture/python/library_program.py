"""Generate Python programs that use the standard library on drawn data.

The campaign (`python_campaign`) draws these programs with `porter torture --python --with-library`.
A program has data, functions and classes that pass the data through calls of the library, and
prints their results. Each statement is in a handler, so that an exception's type is compared too.
Results with an order that CPython does not define (sets) are sorted.
"""

from __future__ import annotations

import re

from attrs import define, field

from porter_dev.torture.choices import Choices
from porter_dev.torture.python.program import PythonProgram

_IMPORTS = """\
import bisect, collections, dataclasses, functools, heapq, itertools, json, math, operator
import random, re, string, struct, textwrap
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass, field
Pair = namedtuple('Pair', 'left right')
"""
# Templates by the kind of their value. `<kind>` is an expression of that kind.
_TEMPLATES: dict[str, tuple[str, ...]] = {
    "int": (
        "len(<ints>)", "sum(<ints>)", "max(<ints>, default=0)", "min(<ints>, default=-1)",
        "(<int> + <int>)", "(<int> * <small>)", "(<int> - <int>)", "(<int> // <int>)",
        "(<int> % <int>)", "divmod(<int>, <int>)[1]", "abs(<int>)", "(<int> & <int>)",
        "(<int> ^ <int>)", "(<int> >> <small>)", "pow(<int>, <small>, 97)",
        "math.gcd(<int>, <int>)",
        "math.isqrt(abs(<int>))", "math.comb(<small> + 5, <small>)", "math.lcm(<int>, <int>)",
        "(<int>).bit_length()", "int(<text>)", "int(str(<int>), 10)", "int(<text>, 36)",
        "<text>.count('a')", "<text>.find('b')", "<text>.index('a')", "ord(<text>[0])",
        "bisect.bisect_left(sorted(<ints>), <int>)", "bisect.bisect(sorted(<ints>), <int>)",
        "functools.reduce(operator.add, <ints>, <small>)", "functools.reduce(max, <ints>)",
        "<ints>.index(<int>)", "<ints>[<small>]", "Counter(<text>)['a']", "Counter(<ints>).total()",
        "heapq.heappop(list(<ints>))", "math.prod(<ints>[:4])", "hash(abs(<int>))",
        "round(<float>)", "math.floor(<float>)", "math.ceil(<float>)", "int(<float>)",
        "int.from_bytes(<bytes>, 'big')", "(<int>).bit_count()", "len(<text>.split())",
        "sum(1 for x in <ints> if x > <small>)", "next(iter(<ints>), -5)", "len(set(<ints>))",
    ),
    "small": ("0", "1", "2", "3", "4", "7"),
    "float": (
        "(<int> / <int>)", "math.sqrt(abs(<int>))", "round(<float>, <small>)", "float(<text>)",
        "(<float> + <float>)", "(<float> * 0.5)", "math.fsum([<float>, <float>])", "1.5", "-0.25",
        "100.0", "1e-7", "math.hypot(<float>, 3)", "float(<int>)", "(<float> % 1)",
        "math.atan2(<float>, 2.0)", "math.log2(abs(<int>) + 1)", "abs(<float>)",
    ),
    "text": (
        "'abca'", "''", "'The quick brown fox'", "'a,b;c'", "'  x y '", "'12'", "'a1b22'",
        "(<text> + <text>)[:40]", "<text>.upper()", "<text>.title()", "<text>.strip()",
        "<text>[::-1]", "<text>[<small>:]", "<text>[:<small>]", "<text>.replace('a', 'bc')",
        "<text>.center(9, '*')", "<text>.ljust(6, '.')", "<text>.zfill(5)", "<text>.swapcase()",
        "'-'.join(<texts>)", "str(<int>)", "repr(<text>)", "str(<float>)", "'{:>8,}'.format(<int>)",
        "'{:.3f}'.format(<float>)", "'{:#x}'.format(<int>)", "'{!r:>10}'.format(<text>)",
        "'{:g}'.format(<float>)",
        "'{:^+9.2e}|{!r}'.format(<float>, <text>)", "'%5d|%-6s|%.2f' % (<int>, <text>, <float>)",
        "json.dumps(<value>)", "json.dumps(<table>, sort_keys=True)", "bin(<int>)", "hex(<int>)",
        "re.sub(r'[aeiou]', '*', <text>)", "re.sub(r'(\\w)(\\w)', r'\\2\\1', <text>)",
        "string.capwords(<text>)", "<text>.translate(str.maketrans('ab', 'xy'))",
        "textwrap.fill(<text>, 9)", "''.join(sorted(<text>))", "<text>.partition(' ')[2]",
        "<text>.removeprefix('a')", "''.join(map(str, <ints>))", "<text>.capitalize()",
        "''.join(random.Random(<small>).choices(string.ascii_lowercase, k=5))",
        "''.join(k for k, _ in itertools.groupby(<text>))", "chr(97 + abs(<int>) % 26)",
    ),
    "texts": (
        "<text>.split()", "<text>.split(',')", "list(<text>)", "re.findall(r'\\w+', <text>)",
        "re.split(r'[,; ]', <text>)", "sorted(<texts>)", "sorted(<texts>, key=len)",
        "[x.upper() for x in <texts>]", "list(map(str, <ints>))", "<text>.rsplit(' ', 1)",
        "sorted(set(<texts>))", "textwrap.wrap(<text>, 8)", "<text>.splitlines()",
        "[''.join(p) for p in itertools.permutations('abc', 2)]", "['b', 'a', 'cc']",
        "heapq.nsmallest(2, <texts>)", "sorted(<texts>, key=str.lower, reverse=True)",
    ),
    "ints": (
        "[3, 1, 2]", "[]", "[5, -1, 5, 0]", "list(range(<small>))", "list(range(9, -3, -4))",
        "sorted(<ints>)", "sorted(<ints>, reverse=True)", "[x * 2 for x in <ints>]",
        "[x for x in <ints> if x % 2]", "list(map(abs, <ints>))", "<ints>[::-1]",
        "<ints>[<small>:]", "list(itertools.accumulate(<ints>))",
        "list(itertools.accumulate(<ints>, max))",
        "list(itertools.islice(itertools.cycle(<ints>), <small>))", "sorted(set(<ints>))",
        "list(itertools.chain(<ints>, <ints>))[:9]", "list(filter(None, <ints>))",
        "list(itertools.takewhile(lambda x: x > 0, <ints>))", "heapq.nlargest(3, <ints>)",
        "list(itertools.dropwhile(lambda x: x > 1, <ints>))", "heapq.nsmallest(2, <ints>)",
        "list(heapq.merge(sorted(<ints>), sorted(<ints>)))[:8]", "[ord(x) for x in <text>]",
        "list(itertools.compress(<ints>, [1, 0, 1]))", "list(deque(<ints>, 3))",
        "list(itertools.starmap(operator.mul, zip(<ints>, <ints>)))", "list(<bytes>)",
        "random.Random(<small>).sample(range(20), 4)", "[a - b for a, b in zip(<ints>, <ints>)]",
        "[random.Random(<small>).randint(-9, 9) for _ in range(3)]",
        "list(struct.unpack('<3h', struct.pack('<3h', 1, <small>, -3)))",
        "list(dict.fromkeys(<ints>))", "sorted(<ints>, key=lambda x: (-x % 3, x))",
        "[int(x) for x in re.findall(r'\\d+', <text>)]", "(<ints> * 2)[:8]",
        "list(reversed(<ints>))",
    ),
    "bytes": (
        "b'ab'", "<text>.encode()", "struct.pack('>i', <small>)", "bytes(range(<small>))",
        "(<small> + 300).to_bytes(2, 'little')", "bytes(<ints>)", "<bytes>[::-1]",
        "<bytes>.upper()",
    ),
    "table": (
        "{'a': 1, 'b': 2}", "{}", "dict(Counter(<text>))", "dict(zip(<texts>, <ints>))",
        "{k: len(list(v)) for k, v in itertools.groupby(sorted(<text>))}",
        "dict(sorted(<table>.items(), key=operator.itemgetter(1)))", "{**<table>, 'z': <small>}",
        "{x: i for i, x in enumerate(<texts>)}", "(<table> | {'b': <small>})",
        "{k: v for k, v in <table>.items() if v > 1}", "dict(reversed(list(<table>.items())))",
        "dict(Counter(<text>).most_common(2))", "dict(Pair(<int>, <int>)._asdict())",
    ),
    "value": (
        "<int>", "<float>", "<text>", "<ints>", "<texts>", "<table>", "None", "True",
        "[<int>, <text>]", "(<int>, <float>)", "{'k': <ints>}", "bool(<ints>)",
        "[list(p) for p in itertools.combinations(<ints>[:4], 2)]", "Pair(<int>, <text>)",
        "list(enumerate(<texts>, <small>))", "list(zip(<ints>, <texts>))", "divmod(<int>, <int>)",
        "[list(p) for p in itertools.product(<ints>[:2], repeat=2)]", "<table>.get('a')",
        "list(itertools.zip_longest(<ints>, <texts>, fillvalue='-'))[:5]", "<bytes>",
        "json.loads(json.dumps(<value>))", "any(x > 2 for x in <ints>)", "all(<ints>)",
        "getattr(re.search(r'(\\w)(\\d*)', <text>), 'groups', list)()", "<text>.partition('b')",
        "sorted(Counter(<ints>).items())", "struct.unpack('>Hb', struct.pack('>Hb', <small>, -1))",
        "(<float>).as_integer_ratio()", "<table>['b']", "<text> in <text>", "<int> in <ints>",
        "list(map(operator.methodcaller('upper'), <texts>))", "<ints> < <ints>", "<text> <= <text>",
        "list(itertools.pairwise(<ints>))", "functools.partial(max, <int>)(<int>)",
    ),
}  # fmt: skip
_LEAVES = {
    "int": ("5", "-3", "12", "0", "2**40"),
    "float": ("1.5", "-0.25", "3.0"),
    "text": ("'abca'", "'x y'", "'12'"),
    "texts": ("['b', 'a', 'cc']", "['12', 'x']"),
    "ints": ("[3, 1, 2]", "[5, -1, 5, 0]"),
    "bytes": ("b'ab'",),
    "table": ("{'a': 1, 'b': 2}",),
    "value": ("None", "1"),
}
_PARTS = ("int", "float", "text", "texts", "ints", "table", "value")
_HOLE = re.compile(r"<([a-z]+)>")


@define
class _LibraryExpressions:
    """A generator of expressions; `names` has the variables of each kind."""

    choices: Choices
    names: dict[str, list[str]] = field(factory=dict)

    def of(self, kind: str, depth: int) -> str:
        """Draw an expression of a kind; at depth 0, a constant or variable."""
        c = self.choices
        found = self.names.get(kind, [])
        if found and c.chance(35):
            return c.pick(found)
        if kind == "small" or depth > 0:
            template = c.pick(_TEMPLATES[kind])
            return _HOLE.sub(lambda hole: self.of(hole[1], depth - 1), template)
        return c.pick([*_LEAVES[kind], *found])


def _guarded(lines: list[str], name: str) -> list[str]:
    handler = ["except Exception as e:", f"    print('{name}', told(e))"]
    return ["try:", *("    " + line for line in lines), *handler]


def _function(name: str, e: _LibraryExpressions) -> list[str]:
    """Draw a function that processes a list of integers in a loop."""
    c = e.choices
    inner = _LibraryExpressions(c, {"int": ["x", "total"], "ints": ["data", "kept"]})
    step = c.pick(
        [
            "kept.append({int})", "total += {int}", "counts[{int}] += 1",
            "heapq.heappush(heap, {int})",
            "bisect.insort(kept, {int})", "window.append({int})", "seen.add({int})",
            "groups[{int} % 3].append(x)",
        ]
    )  # fmt: skip
    step = step.replace("{int}", inner.of("int", 2))
    kind = c.pick(_PARTS)
    source = c.pick(["data", "sorted(data)", "reversed(data)", "itertools.chain(data, [1])"])
    decorators = (
        [c.pick(["@functools.lru_cache(maxsize=None)", "@counted", ""])] if c.chance(30) else []
    )
    arguments = "data" if "lru" not in "".join(decorators) else "data=(4, 1, 3)"
    return [
        *filter(None, decorators),
        f"def {name}({arguments}):",
        "    total, kept, heap, seen = 0, [], [], set()",
        "    counts, window, groups = Counter(), deque([], 3), defaultdict(list)",
        f"    for x in {source}:",
        f"        if {inner.of('value', 1)}:",
        f"            {step}",
        "        else:",
        f"            {c.pick(['continue', 'total -= 1', 'kept.append(x)', 'break'])}",
        "    print(total, kept, sorted(heap), sorted(seen), sorted(counts.items()), list(window))",
        "    print(sorted(groups.items()))",
        f"    return {inner.of(kind, 2)}",
    ]


def _class(name: str, e: _LibraryExpressions) -> list[str]:
    """Draw a dataclass with a method, a comparison and a property."""
    c = e.choices
    inner = _LibraryExpressions(c, {"int": ["self.size"], "ints": ["self.items"]})
    options = c.pick(["", "(order=True)", "(frozen=True)", "(eq=True, repr=True)"])
    return [
        f"@dataclass{options}",
        f"class {name}:",
        f"    size: int = {c.pick(['0', '5', '-2'])}",
        "    items: list = field(default_factory=lambda: [2, 1])",
        f"    label: str = {e.of('text', 0)}",
        "    @property",
        "    def first(self):",
        f"        return {inner.of('value', 2)}",
        "    def grow(self, by=1):",
        f"        grown = {inner.of('ints', 1)}",
        "        return dataclasses.replace(self, size=self.size + by, items=grown)",
        "    def __len__(self):",
        "        return len(self.items)",
        "    def __iter__(self):",
        "        yield from self.items",
        f"        yield {inner.of('int', 1)}",
    ]


_COUNTED = """\
def counted(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        wrapper.calls += 1
        return function(*args, **kwargs)
    wrapper.calls = 0
    return wrapper
"""


def generate_library(choices: Choices) -> PythonProgram:
    """Generate the program that `choices` make."""
    c = choices
    lines = [*_IMPORTS.splitlines(), *_COUNTED.splitlines()]
    e = _LibraryExpressions(c)
    for number in range(1 + c.below(3)):
        kind = c.pick(_PARTS)
        lines += [f"v{number} = {c.pick(_LEAVES[kind])}"]
        lines += _guarded([f"v{number} = {e.of(kind, 2)}"], f"v{number}")
        e.names.setdefault(kind, []).append(f"v{number}")
    if c.chance(60):
        name = f"f{c.below(3)}"
        lines += _function(name, e)
        lines += _guarded([f"print({name}({e.of('ints', 2)}))"], name)
        if c.chance(30):
            lines += _guarded([f"print({name}(), {name}.__name__)"], name)
    if c.chance(40):
        lines += _class("Record", e)
        made = f"Record({c.below(9)}, {e.of('ints', 1)})"
        shown = ["one", "one.first", "one.grow(2)", "list(one)", "len(one)", "one == Record(3)"]
        shown += [
            "one < Record(4)",
            "dataclasses.asdict(one)",
            "sorted([one, Record(1)])",
            "one.size",
        ]
        lines += _guarded([f"one = {made}"], "made")
        for _ in range(1 + c.below(4)):
            lines += _guarded([f"print({c.pick(shown)})"], "Record")
    for number in range(2 + c.below(5)):
        lines += _guarded([f"print({e.of(c.pick(_PARTS), 3)})"], f"s{number}")
    return PythonProgram("\n".join(lines) + "\n", tuple(c.taken))
