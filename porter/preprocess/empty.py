"""Finds units in which nothing is left after preprocessing (drivers, other machines' emitters)."""

from __future__ import annotations

import re

_MARKER = re.compile(r'# \d+ "((?:[^"\\]|\\.)*)"')


def has_code(text: str) -> bool:
    """Whether any line of preprocessed `text` that is not blank comes from a C file.

    Lines from headers do not count: a unit of nothing but declarations defines nothing. A C
    file that another includes counts as its own.
    """
    in_source = False
    for line in text.splitlines():
        if line.startswith("#"):
            match = _MARKER.match(line)
            if match:
                in_source = match.group(1).endswith(".c")
        elif in_source and line.strip(" \t;"):
            return True
    return False
