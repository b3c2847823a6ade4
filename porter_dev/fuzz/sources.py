"""Mutate the tokens of programs, as slips of a model or a person do.

Most mutants are no Python programs. A compiler must refuse them and survive. A seed determines the
mutants.
"""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator, Sequence
from random import Random

from porter_dev.candidates import functions

# Programs with the constructs that generated functions lack.
CONSTRUCTS = (
    "async def f():\n    async with a as b, c:\n        await x\n    async for y in z: pass\n",
    "try:\n    pass\nexcept (A, B) as e:\n    raise X from e\nelse:\n    x: int = 3\n"
    "finally:\n    del a[1], b.c\n",
    "class A(B, metaclass=C):\n    x = lambda self, *a, b=1, **k: (yield)\n    @property\n"
    "    def y(self, /, a, *, b): nonlocal_ = 1; return self\n",
    "with open(x) as f, g:\n    global q\n    q = {**a, 'b': 1}; r = {*s, 2}; t = (*u, *v)\n",
    "def g():\n    x = 1\n    def h():\n        nonlocal x\n"
    "        x += 1; yield from [a for a in b if c for d in e]\n"
    "    return f'{x!r:>{w}} {{}} {y=}', 0x_ff, 1_000, 1e5, 0b1, 0o7, 1j, b'\\xff', rb'x'\n",
    "match x:\n    case [1, *r] if r: pass\n    case {'a': b, **c}: pass\n"
    "    case A(b=1) | None: pass\n    case _: pass\n",
    "while (n := f()) > 0:\n    if n: break\n    elif m: continue\nelse:\n    assert x, 'y'\n"
    "print(*a, sep='', **k)\nx = a if b else c\nx = a[1:2, ::3, ...]\nfrom . import m as n, k\n",
)
_TEXT = r"""
( ) [ ] { } : , . * ** = == := lambda for in if else not is yield await async return def class 1 x
's' -> @ / import from as del global nonlocal ... None True ~ - += pass break 1_ 0_1 01 1.e f'{'
b'é' $ ? ! ; \ print with try except raise assert while % < <> match case _ type *x **x yield_from
0x 1__0 '''
"""
_WORDS = tuple(_TEXT.split())
_DEEPEST = 30  # tokens of a program that is no mutant


def mutants(seed: int, count: int) -> list[str]:
    """Return `count` programs: mutants, and a tenth that are random tokens."""
    rng = Random(seed)
    originals = [*functions(seed, 60), *CONSTRUCTS * 8]
    places = [list(_tokens(source)) for source in originals]
    found = []
    for number in range(count):
        if number % 10 == 0:
            found.append(_random_tokens(rng))
        else:
            which = rng.randrange(len(originals))
            found.append(_mutant(rng, originals[which], places[which]))
    return found


def _tokens(source: str) -> Iterator[tuple[int, int, int]]:
    """Yield the line, start and end of the tokens of one line."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.string.strip() and token.start[0] == token.end[0]:
            yield token.start[0] - 1, token.start[1], token.end[1]


def _mutant(rng: Random, source: str, places: Sequence[tuple[int, int, int]]) -> str:
    lines = source.split("\n")
    for row, start, end in rng.sample(places, rng.choice((1, 1, 1, 2, 3))):
        line = lines[row]
        word = rng.choice(_WORDS)
        lines[row] = rng.choice((
            line[:start] + line[end:],
            line[:start] + word + line[end:],
            f"{line[:start]}{word} {line[start:]}",
            f"{line[:end]} {line[start:end]}{line[end:]}",
            " " * rng.choice((1, 2, 4, 8)) + line,
            line.replace("    ", rng.choice(("\t", "  ", "")), 1),
        ))  # fmt: skip
    return "\n".join(lines)


def _random_tokens(rng: Random) -> str:
    words = [rng.choice((*_WORDS, "\n", "\n    ")) for _ in range(rng.randrange(1, _DEEPEST))]
    return " ".join(words) + "\n"
