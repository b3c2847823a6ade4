"""What interpreters ran out of, and what size would do: from what the port says, not from text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

import numpy as np
from attrs import frozen

from porter.base.sizes import KIB, MIB, format_size
from porter.config import LOCAL_MEMORY_LIMIT, LOCAL_RESERVED, SIZE_BOUNDS

GRAIN = 16 * KIB  # what a heap that an allocation asks for is rounded up to
OPTIONS = {"HEAP": "heap", "PYSTACK": "pystack", "STACK": "stack"}  # by Built.lack's names
WORDS = {"heap": "heap", "pystack": "pystack", "stack": "C stack"}


@frozen
class Lack:
    """Interpreters that one size was too small for.

    option: heap, pystack or stack. count: how many they are. had: bytes of it that each has.
    enough: bytes with which they come further, None where no interpreter can have so much.
    moves: whether that fits into arenas in global memory only.
    """

    option: str
    count: int
    had: int
    enough: int | None
    moves: bool = False

    def advice(self, n: int, *, python: bool = False) -> str:
        """A sentence for people; `python`: for those who write keyword arguments."""
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
    """What `failed` interpreters (n bools) lacked. lack: n uint64, as launch.h describes them.

    sizes: bytes of heap, pystack and stack. kinds: Built.lack. local: whether arenas are in
    local memory.
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
            # What grows is copied: there must be room for the old and for the new.
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
    """All of it in one text, None where there is nothing to say."""
    return " ".join(lack.advice(n, python=python) for lack in lacks) or None
