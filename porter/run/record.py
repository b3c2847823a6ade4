"""NumPy dtypes of the structs that C and Python share, from offsets that the build measured."""

from __future__ import annotations

from typing import Any

import numpy as np

from porter.manifest import SharedStruct


def dtype_of(shared: SharedStruct) -> np.dtype[Any]:
    """Return the dtype of a struct with the field offsets that the compilers report.

    Raises:
        ValueError: A field is no fixed-width integer.
    """
    formats: list[Any] = []
    for field in shared.fields:
        kind = np.dtype(field.type.removesuffix("_t")).newbyteorder("<")
        formats.append(kind if field.count is None else (kind, (field.count,)))
    return np.dtype(
        {
            "names": [field.name for field in shared.fields],
            "formats": formats,
            "offsets": [field.offset for field in shared.fields],
            "itemsize": shared.size,
        }
    )
