"""Map offsets of a preprocessed unit to locations in upstream's files, by its line markers."""

from __future__ import annotations

import re
from bisect import bisect_right

MARKER = re.compile(r'# (\d+) "((?:[^"\\]|\\.)*)"')


def line_table(text: str) -> list[tuple[int, str, int]]:
    """Return (offset of the line's start, upstream file, upstream line) for each line of `text`."""
    table: list[tuple[int, str, int]] = []
    file, line, offset = "", 1, 0
    for raw in text.split("\n"):
        marker = MARKER.match(raw)
        if marker:
            line, file = int(marker.group(1)) - 1, marker.group(2)
        table.append((offset, file, line))
        line += 1
        offset += len(raw) + 1
    return table


def locate(table: list[tuple[int, str, int]], offset: int) -> tuple[str, int, int]:
    """Return the upstream file, line and column of an offset."""
    start, file, line = table[bisect_right(table, offset, key=lambda row: row[0]) - 1]
    return file, line, offset - start + 1
