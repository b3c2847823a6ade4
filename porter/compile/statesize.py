"""The size of the state struct, read out of the header that the rewriter wrote."""

from __future__ import annotations

import re
from pathlib import Path

STATE_HEADER = "porter_state.h"
_STRUCT = re.compile(r"typedef struct porter_state_t \{\n(.*?)\n\} porter_state_t;", re.DOTALL)
_BYTES = re.compile(r"alignas\((\d+)\) unsigned char \w+\[(\d+)\];")
_PLAIN = re.compile(r"(const void \*|int )\w+;")


def state_bytes(header: Path) -> int | None:
    """sizeof(porter_state_t), by C's rules for 64-bit machines; None for any other header.

    Kernels tell it too (`gpusnek_info`), but a build for the host has no kernels.
    """
    match = _STRUCT.search(header.read_text())
    if match is None:
        return None
    end, widest = 0, 1
    for line in match[1].splitlines():
        if field := _BYTES.search(line):
            align, size = int(field[1]), int(field[2])
        elif plain := _PLAIN.search(line):
            align = size = 4 if plain[1] == "int " else 8
        else:
            return None
        end = -(-end // align) * align + size
        widest = max(widest, align)
    return -(-end // widest) * widest
