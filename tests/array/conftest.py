from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from porter import InterpreterArray
from porter.run import Device

Make = Callable[..., InterpreterArray]


@pytest.fixture
def make(any_device: Device) -> Iterator[Make]:
    """Return a function that makes arrays of n interpreters; close them at the end."""
    made: list[InterpreterArray] = []

    def make(n: int, **options: Any) -> InterpreterArray:
        made.append(InterpreterArray(n, device=any_device, **options))
        return made[-1]

    yield make
    for array in made:
        array.close()


@pytest.fixture
def four(make: Make) -> InterpreterArray:
    return make(4)


@pytest.fixture
def host(any_device: Device) -> Callable[[Any], np.ndarray[Any, Any]]:
    """Return a result array as NumPy's; check that it is on the interpreters' device."""

    def host(array: Any) -> np.ndarray[Any, Any]:
        assert isinstance(array, any_device.xp.ndarray)
        return any_device.host(array)

    return host
