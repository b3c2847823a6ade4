"""The lexer has exactly CPython's keywords."""

from __future__ import annotations

import keyword

from porter.run import Device, Launch, run

# Names before and after all keywords in byte order, and names that resemble keywords.
OTHERS = ("A", "E", "Z", "_", "__", "__debug", "__debug___", "a", "z", "zz", "é", "ñand", "ÿ")
EACH = """
for word in WORDS:
    try:
        exec(word + " = 1")
        print(word, "name")
    except SyntaxError:
        print(word, "keyword")
"""


def nearly(word: str) -> set[str]:
    """Return names that begin or end like a word."""
    return {word[:-1], word[1:], word + "s", word + "_", word + "0", "_" + word, word.swapcase()}


def kind(word: str) -> str:
    """Return CPython's classification of a word."""
    try:
        compile(f"{word} = 1", "word", "exec")
    except SyntaxError:
        return "keyword"
    return "name"


def test_names_and_keywords(roomy_device: Device) -> None:
    words = {*keyword.kwlist, "__debug__", *OTHERS}
    for word in keyword.kwlist:
        words |= nearly(word)
    listed = sorted(words - {""})
    assert sum(kind(word) == "keyword" for word in listed) == len(keyword.kwlist) + 1
    program = EACH.replace("WORDS", repr(listed))
    (shown,) = run(roomy_device, [program], 1, Launch(heap=1 << 19, stdout=1 << 14)).stdout
    assert shown.decode().splitlines() == [f"{word} {kind(word)}" for word in listed]
