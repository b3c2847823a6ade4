"""The dtypes of records that C and Python share, as the build measured them."""

from __future__ import annotations

from typing import Any

import numpy as np

from porter.manifest import SharedStruct


def dtype_of(shared: SharedStruct) -> np.dtype[Any]:
    """The dtype of a struct: its fields, in order, at the offsets that the compilers gave them.

    Raises ValueError for a field that is no fixed-width integer.
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
