"""The launch record as a numpy dtype, read out of `launch.h`: one description for all sides."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from porter.errors import NotBuilt

_STRUCT = re.compile(r"typedef struct (\w+) \{(.*?)\} \1;", re.DOTALL)
_FIELD = re.compile(r"^\s*(uint64_t|uint32_t|int32_t) (\w+);", re.MULTILINE)
_ENUM = re.compile(r"^\s*(GPUSNEK_(?:FLAG|STATUS)_\w+) = (-?\d+),", re.MULTILINE)
_DEFINE = re.compile(r"^#define (GPUSNEK_[A-Z_]+) \((-?\d+)\)", re.MULTILINE)
_TYPES = {"uint64_t": "<u8", "uint32_t": "<u4", "int32_t": "<i4"}


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError as error:
        raise NotBuilt(
            f"{path}: {error.strerror}", hint="Run `porter build` for this target."
        ) from error


@cache
def layouts(header: Path) -> dict[str, np.dtype[Any]]:
    """The dtypes of all structs in `launch.h`, by name, laid out as C lays them out."""
    found: dict[str, np.dtype[Any]] = {}
    for name, body in _STRUCT.findall(_read(header)):
        fields = [(field, _TYPES[kind]) for kind, field in _FIELD.findall(body)]
        found[name] = np.dtype(fields, align=True)
    return found


@cache
def constants(*headers: Path) -> dict[str, int]:
    """Flags, statuses, kinds and interrupt values of `launch.h` and `interp.h`, by name."""
    values: dict[str, int] = {}
    for header in headers:
        text = _read(header)
        for pattern in (_ENUM, _DEFINE):
            values.update((name, int(value)) for name, value in pattern.findall(text))
    return values
