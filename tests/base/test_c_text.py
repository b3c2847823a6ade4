"""Scanning C text without a parser: comments and brackets."""

from __future__ import annotations

import pytest

from porter.base.c_text import behind_bracket, without_comments


def test_comments_become_blanks_and_literals_stay() -> None:
    text = 'a /* b\nc */ d; // e \\\n f\nchar *s = "// no"; char q = \'"\'; /* x */'
    blanked = without_comments(text)
    assert len(blanked) == len(text) and blanked.count("\n") == text.count("\n")
    assert blanked.split() == [
        "a",
        "d;",
        "char",
        "*s",
        "=",
        '"//',
        'no";',
        "char",
        "q",
        "=",
        "'\"';",
    ]


@pytest.mark.parametrize(
    ("text", "pair", "end", "behind"),
    [
        ("(a(b)c) d", "()", None, 7),
        ("(\"(\" ')') x", "()", None, 9),
        ("{ if (a) { b; } } c", "{}", None, 17),
        ("(a(b)", "()", None, None),
        ("{ a }", "{}", 3, None),
        ("{ a }", "{}", -1, None),
    ],
)
def test_bracket_that_closes(text: str, pair: str, end: int | None, behind: int | None) -> None:
    assert behind_bracket(text, 1, pair, end) == behind
