"""Patterns and helpers for C text that is not parsed: literals, comments, brackets.

`porter.patches` finds the place of a hunk with them, and `porter.preprocess` finds the definition
of a function. Both work on text that libclang cannot read yet.
"""

from __future__ import annotations

import re
from functools import lru_cache

LITERAL = r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"""
TOKEN = re.compile(rf"{LITERAL}|\w+|[^\s\w]")
_GAP = r"(?:\s|\\\n)*+"
COMMENT = re.compile(rf"{LITERAL}|//(?:\\\n|[^\n])*|/\*.*?\*/", re.DOTALL)


@lru_cache(maxsize=64)
def without_comments(text: str) -> str:
    """Return `text` with a blank for each character of a comment; line breaks stay."""

    def blank(match: re.Match[str]) -> str:
        found = match[0]
        if not found.startswith("/"):
            return found
        return "\n".join(" " * len(line) for line in found.split("\n"))

    return COMMENT.sub(blank, text)


@lru_cache(maxsize=1024)
def token_pattern(text: str) -> re.Pattern[str]:
    """Return the pattern of C text: its tokens, with blanks and line breaks between them.

    Args:
        text: The C text. Its comments are left out.

    Returns:
        The pattern, for text without comments.
    """
    parts = []
    for token in TOKEN.findall(without_comments(text).replace("\\\n", "\n")):
        before = r"(?<!\w)" if re.match(r"\w", token) else ""
        after = r"(?!\w)" if re.search(r"\w\Z", token) else ""
        parts.append(before + re.escape(token) + after)
    return re.compile(_GAP.join(parts))


def behind_bracket(text: str, at: int, pair: str, end: int | None = None) -> int | None:
    """Return the offset behind the bracket that closes the bracket before an offset.

    Args:
        text: C text without comments.
        at: The offset behind the opening bracket.
        pair: The opening and the closing bracket, `()` or `{}`.
        end: The offset at which the search ends; None for the end of the text.

    Returns:
        The offset, or None if no bracket before `end` closes.
    """
    depth = 1
    brackets = re.compile(rf"{LITERAL}|[{re.escape(pair)}]")
    for match in brackets.finditer(text, at, len(text) if end is None else max(at, end)):
        depth += {pair[0]: 1, pair[1]: -1}.get(match[0], 0)
        if depth == 0:
            return match.end()
    return None
