"""Detect units that are empty after preprocessing (drivers, other machines' emitters)."""

from __future__ import annotations

import re

_MARKER = re.compile(r'# \d+ "((?:[^"\\]|\\.)*)"')


def has_code(text: str) -> bool:
    """Return whether a non-blank line of preprocessed `text` comes from a C file.

    Lines from headers do not count: a unit of declarations defines nothing. Lines of an included C
    file count.
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
