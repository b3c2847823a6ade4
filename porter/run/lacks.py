"""Memory advice: name the size that was too small for failed interpreters, and a sufficient one.

The input is the lack code that the port reports per interpreter, not the text of tracebacks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

import numpy as np
from attrs import frozen

from porter.base.sizes import KIB, MIB, format_size
from porter.config import LOCAL_MEMORY_LIMIT, LOCAL_RESERVED, SIZE_BOUNDS

GRAIN = 16 * KIB  # bytes; a heap below 1 MiB is proposed as a multiple of this
# keyed by the names of Built.lack
OPTIONS = {"HEAP": "heap", "PYSTACK": "pystack", "STACK": "stack"}
WORDS = {"heap": "heap", "pystack": "pystack", "stack": "C stack"}


@frozen
class Lack:
    """The interpreters for which one size was too small.

    Attributes:
        option: heap, pystack or stack.
        count: Number of interpreters.
        had: Bytes of it that each has.
        enough: Proposed bytes; None where an interpreter has the maximum already.
        moves: Whether the proposed size requires arenas in global memory.
    """

    option: str
    count: int
    had: int
    enough: int | None
    moves: bool = False

    def advice(self, n: int, *, python: bool = False) -> str:
        """Return a sentence for the user.

        Args:
            n: Interpreters of the launch.
            python: Spell options as keyword arguments instead of command line options.
        """
        text = f"{self.count} of {n} ran out of {WORDS[self.option]}, which is "
        text += format_size(self.had)
        if self.enough is None:
            return f"{text}, the most that there is."
        size = format_size(self.enough)
        if python:
            return f'{text}: give {self.option}="{size}" or more{self._where("arenas")}.'
        return f"{text}: give --{self.option} {size} or more{self._where('--arena global')}."

    def _where(self, text: str) -> str:
        if not self.moves:
            return ""
        return f", with {text}" if text[0] == "-" else ", in a build with global arenas"


def find(
    lack: np.ndarray[Any, Any],
    failed: np.ndarray[Any, Any],
    sizes: Mapping[str, int],
    kinds: type[IntEnum],
    *,
    local: bool,
) -> tuple[Lack, ...]:
    """Group `failed` interpreters by the size that was too small for them.

    Args:
        lack: Lack codes as launch.h describes them (n uint64).
        failed: The interpreters that failed (n bools).
        sizes: Bytes of heap, pystack and stack.
        kinds: The enum Built.lack.
        local: Whether arenas are in local memory.
    """
    kind = np.where(failed, lack % 4, 0)
    found = []
    for name, option in OPTIONS.items():
        which = kind == kinds[name]
        if not which.any():
            continue
        had = sizes[option]
        enough: int | None = 2 * had
        if option == "heap":
            # Growing an object copies it, so the heap needs space for the old and the new object.
            asked = had + 2 * int(lack[which].max() // 4)
            grain = GRAIN if asked < MIB else MIB
            enough = max(2 * had, -(-asked // grain) * grain)
        if enough is not None and enough > SIZE_BOUNDS[option].high:
            enough = SIZE_BOUNDS[option].high if had < SIZE_BOUNDS[option].high else None
        moves = False
        if local and enough is not None:
            others = sum(sizes[name] for name in OPTIONS.values() if name != option)
            moves = enough + others + LOCAL_RESERVED > LOCAL_MEMORY_LIMIT
        found.append(Lack(option, int(which.sum()), had, enough, moves))
    return tuple(found)


def advice(lacks: Sequence[Lack], n: int, *, python: bool = False) -> str | None:
    """Return the advice on all of `lacks` as one text, or None without any."""
    return " ".join(lack.advice(n, python=python) for lack in lacks) or None
