"""Array functions of a device whose arrays are in host memory."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from porter.run.device.base import Array, Operations
from porter.run.device.operations import NumpyOperations


class HostArrays:
    """The part of a Device that makes and reads arrays, by NumPy."""

    xp: Any = np
    on_gpu = False
    operations: Operations = NumpyOperations()

    def here(self) -> AbstractContextManager[object]:
        """Return a context manager that does nothing, because there is no current device."""
        return nullcontext()

    def array(self, values: np.ndarray[Any, Any]) -> Array:
        """Return a contiguous copy of `values`."""
        return np.array(values, order="C")

    def zeros(self, shape: int | tuple[int, ...], dtype: Any) -> Array:
        """Allocate zeroed memory; pages take memory once they are touched."""
        return np.zeros(shape, dtype)

    def address(self, array: Array) -> int:
        """Return the address of `array`."""
        address: int = array.ctypes.data
        return address

    def host(self, array: Array) -> np.ndarray[Any, Any]:
        """Return `array` itself."""
        view: np.ndarray[Any, Any] = array
        return view
