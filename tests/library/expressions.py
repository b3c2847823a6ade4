"""Generated regular expressions, texts and replacements, and a program that shows their results."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

Case = tuple[str, int, str, str]  # pattern, flags, text, replacement

PROGRAM = """
import re

def shown(match):
    if match is None:
        return None
    spans = [match.span(group) for group in range(len(match.groups()) + 1)]
    names = sorted(match.groupdict().items())
    return spans, match.groups(), names, match.lastindex, match.lastgroup

def results(pattern, flags, text, replacement):
    try:
        found = re.compile(pattern, flags)
    except re.error as error:
        return [str(error), error.msg, error.pos]
    except (OverflowError, ValueError) as error:
        return [type(error).__name__, str(error)]
    out = [found.groups, int(found.flags), sorted(found.groupindex.items())]
    out += [shown(found.match(text)), shown(found.fullmatch(text)), shown(found.search(text))]
    out += [shown(found.search(text, 1)), shown(found.match(text, 1, 3)), found.findall(text)]
    out += [[shown(match) for match in found.finditer(text)]]
    out += [found.split(text), found.split(text, 1)]
    try:
        out.append(found.subn(replacement, text))
    except (re.error, IndexError) as error:
        out.append(str(error))
    out.append(found.sub(lambda match: match.group().upper(), text, 2))
    return out

for pattern, flags, text, replacement in CASES:
    print(results(pattern, flags, text, replacement))
    try:
        data = pattern.encode("latin-1"), text.encode("latin-1"), replacement.encode("latin-1")
    except ValueError:
        continue
    print(results(data[0], flags, data[1], data[2]))
"""


def program(cases: Sequence[Case]) -> str:
    """Return a program that prints the results of each case."""
    lines = "".join(f"    {case!a},\n" for case in cases)
    return f"CASES = [\n{lines}]\n{PROGRAM}"


ATOMS = r"""a b c a b . \w \d \s \W \D \S [ab] [^a] [a-c] [^\d] [\w-] é [é-ü] \b \B ^ $
    \A \Z \n \x61 \. A [A-B] ß \u017f 1 \141 []a] [\]-^]"""
QUANTIFIERS = "* + ? {2} {1,2} {,2} {1,} {0} *? +? ?? {1,3}? *+ ++ ?+ {1,2}+ {,}"
HEADS = "( ( ( (?: (?= (?! (?> (?i: (?s: (?m-i: (?a: (?x:"
BEHIND = r"(?<=a) (?<=ab) (?<=b|c) (?<!a) (?<!\w) (?<=(a)) (?<!b|c) (?<=[^a]b)"
REFERENCES = r"\1 \2 (?(1)a|b) (?(2)b) (?P<n>a) (?P=n)"
WRONG = r"""( ) [ ] \ * {2} | (? (?P< (?P= (?P> - < > (?# # \7 \08 \400 \u12 \x4 [a-\d]
    (?i) (?z) (?-: (?iL: (?<a (?( (?(9) (?(n \q [z-a] {3,2} (?P<1> (?P<n>) {99999999999} (?au)
    (?<=a*) (?i-i:"""

FLAGS = (0, 0, 0, 2, 8, 16, 2 | 8, 64, 256, 258)
TEXT = "aabbc1 AB\néc\xdf.\u017f"
REPLACEMENTS = (
    "-",
    r"<\g<0>>",
    r"\1",
    r"x\n",
    r"\g<1>y",
    r"\g<n>",
    r"\101",
    r"\q",
    r"\.",
    "\\",
    "",
)


def _piece(random: Random, depth: int) -> str:
    kind = random.random()
    if kind < 0.65 or depth == 0:
        piece = random.choice([*ATOMS.split(), " "])
    elif kind < 0.9:
        piece = f"{random.choice(HEADS.split())}{_choices(random, depth - 1)})"
    else:
        piece = random.choice((BEHIND + " " + REFERENCES).split())
    return piece + (random.choice(QUANTIFIERS.split()) if random.random() < 0.35 else "")


def _choices(random: Random, depth: int) -> str:
    return "|".join(
        "".join(_piece(random, depth) for _ in range(random.choice((1, 1, 1, 2, 3))))
        for _ in range(random.choice((1, 1, 1, 2, 3)))
    )


def cases(seed: int, broken: bool, count: int = 40) -> list[Case]:
    """Return cases that follow from a seed.

    Args:
        seed: Any integer.
        broken: Whether to insert something into each pattern that makes most of them wrong.
        count: The number of cases.
    """
    random = Random(seed)
    found: list[Case] = []
    for _ in range(count):
        pattern = _choices(random, 3)
        if broken:
            at = random.randrange(len(pattern) + 1)
            pattern = pattern[:at] + random.choice([*WRONG.split(), "\n"]) + pattern[at:]
        text = "".join(random.choices(TEXT, k=random.randrange(15)))
        found.append((pattern, random.choice(FLAGS), text, random.choice(REPLACEMENTS)))
    return found
