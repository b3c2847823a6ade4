"""Sources for an array: one for all, one each, or a choice of several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from porter.base.arguments import text
from porter.errors import UsageError, WrongType
from porter.run import Program
from porter.run.checking import per_interpreter

Source = str | bytes | Sequence[str | bytes]
Which = Sequence[int] | np.ndarray[Any, Any] | None


def programs_of(
    source: Source, which: Which, name: str, n: int
) -> tuple[list[Program], np.ndarray[Any, Any] | None]:
    """The programs, and which of them each of `n` interpreters runs (n uint32; None: the first).

    Raises WrongType, UsageError.
    """
    text(name, "name")
    if isinstance(source, str | bytes):
        if which is not None:
            raise UsageError("which: there is one source, and nothing to choose")
        return [Program(source, name)], None
    if not isinstance(source, Sequence):
        raise WrongType(f"source: {type(source).__name__} is neither text nor a sequence of it")
    programs = [Program(each, name) for each in source]
    if which is None:
        if len(programs) != n:
            raise UsageError(
                f"source: {len(programs)} sources for {n} interpreters",
                hint="Give `which`, the number of each interpreter's source.",
            )
        return programs, np.arange(n, dtype=np.uint32)
    return programs, _chosen(which, len(programs), n)


def _chosen(which: Which, programs: int, n: int) -> np.ndarray[Any, Any]:
    chosen = per_interpreter(which, n, "which")
    if chosen.max() >= programs:
        raise UsageError(f"which: indices {chosen.min()} to {chosen.max()} of {programs} sources")
    return chosen
