"""Arrays of a device whose memory is the host's."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from porter.run.device.base import Array, Operations
from porter.run.device.operations import NumpyOperations


class HostArrays:
    """The part of a Device that makes and reads arrays: they are NumPy's."""

    xp: Any = np
    on_gpu = False
    operations: Operations = NumpyOperations()

    def here(self) -> AbstractContextManager[object]:
        """Nothing: memory is the same for all."""
        return nullcontext()

    def array(self, values: np.ndarray[Any, Any]) -> Array:
        """A contiguous copy of `values`."""
        return np.array(values, order="C")

    def zeros(self, shape: int | tuple[int, ...], dtype: Any) -> Array:
        """Zeroed memory, of which only touched pages count."""
        return np.zeros(shape, dtype)

    def address(self, array: Array) -> int:
        """Where `array` is."""
        address: int = array.ctypes.data
        return address

    def host(self, array: Array) -> np.ndarray[Any, Any]:
        """`array` itself."""
        view: np.ndarray[Any, Any] = array
        return view
