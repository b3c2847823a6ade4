"""Sources for an array's interpreters: one for all, one each, or a choice of several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from porter.base.arguments import seconds, text
from porter.errors import UsageError, WrongType
from porter.native.code import Code
from porter.run import Device, Program
from porter.run.launch.limits import Seconds, Steps
from porter.run.launch.validators import per_interpreter

Source = str | bytes | Sequence[str | bytes]
Which = Sequence[int] | np.ndarray[Any, Any] | None


def programs_of(
    source: Source, which: Which, name: str, n: int
) -> tuple[list[Program], np.ndarray[Any, Any] | None]:
    """Convert sources to programs.

    Args:
        source: A source for all, or a sequence.
        which: The index of each interpreter's source; None: source[i], or the only one.
        name: The file name in tracebacks.
        n: Number of interpreters.

    Returns:
        The programs, and each interpreter's program (n uint32; None: all run the first).

    Raises:
        WrongType: `source` has a wrong type.
        UsageError: The number of sources or indices is wrong.
    """
    text(name, "name")
    if isinstance(source, str | bytes):
        if which is not None:
            raise UsageError("which: there is one source, and nothing to choose")
        return [Program(source, name)], None
    if Program.is_one(source) or not isinstance(source, Sequence):
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


def sources_of(
    source: Source | Code, which: Which, name: str, kind: str, device: Device, n: int
) -> tuple[list[Program], np.ndarray[Any, Any] | None, dict[str, Any]]:
    """Convert source or code to programs and options of a launch, as programs_of does.

    Args:
        source: Source, sources or code.
        which: As in programs_of.
        name: As in programs_of.
        kind: The mode of the caller: "file", "single" or "eval".
        device: The device that runs it.
        n: Number of interpreters.

    Returns:
        The results of programs_of, and options of the launch by name.

    Raises:
        WrongType: An argument has a wrong type.
        UsageError: The code does not fit the kind or the device.
    """
    if not isinstance(source, Code):
        return *programs_of(source, which, name, n), {"kind": kind}
    if which is not None:
        raise UsageError("which: there is one code, and nothing to choose")
    if (source.kind == "eval") != (kind == "eval"):
        raise UsageError(
            f"{source.name}: this code is of kind {source.kind!r}",
            hint='eval() takes code of kind "eval", exec() any other.',
        )
    source.check(device)
    return [], None, {"kind": source.kind, "compiled": source.memory}


def limits_of(timeout: float | None, max_steps: Steps, deadline: Seconds) -> dict[str, Any]:
    """Return the options of a launch that limit its programs. Raises WrongType, UsageError."""
    return {
        "timeout": None if timeout is None else seconds(timeout, "timeout"),
        "max_steps": max_steps,
        "deadline": deadline,
    }


def _chosen(which: Which, programs: int, n: int) -> np.ndarray[Any, Any]:
    chosen = per_interpreter(which, n, "which")
    if chosen.max() >= programs:
        raise UsageError(f"which: indices {chosen.min()} to {chosen.max()} of {programs} sources")
    return chosen
