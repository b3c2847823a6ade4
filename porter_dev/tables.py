"""Read the TOML tables of the development tools into attrs classes.

A table file enters, a tuple of frozen objects leaves. `campaigns`, `tiers` and `faults` call it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import cattrs
from cattrs.errors import BaseValidationError

ROOT = Path(__file__).resolve().parents[1]

T = TypeVar("T")


class TableProblem(Exception):
    """A table file that cannot be read. The message names the file and the entry."""


def read_table(path: Path) -> Mapping[str, Any]:
    """Parse a TOML file.

    Args:
        path: The file.

    Returns:
        The document as a mapping.

    Raises:
        TableProblem: The file is missing or is not TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise TableProblem(f"{path}: {error}") from error


def rows(path: Path, key: str, row: type[T]) -> tuple[T, ...]:
    """Return the array of tables `key` of a file as objects.

    Args:
        path: The TOML file.
        key: The name of the array of tables.
        row: The attrs class of one entry. An entry with an unknown key is an error.

    Returns:
        An object per entry, in the order of the file.

    Raises:
        TableProblem: The file, the array or one of its entries is malformed.
    """
    converter = cattrs.Converter(forbid_extra_keys=True)
    found = read_table(path).get(key, [])
    made: list[T] = []
    for number, entry in enumerate(found, start=1):
        try:
            made.append(converter.structure(entry, row))
        except (BaseValidationError, ValueError, TypeError) as error:
            told = "; ".join(cattrs.transform_error(error))
            raise TableProblem(f"{path}: {key} {number}: {told}") from error
    return tuple(made)
