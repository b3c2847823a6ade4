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
    """Makes arrays of n interpreters on the device, and closes them."""
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
    """A result array as numpy's; it must be where the interpreters are."""

    def host(array: Any) -> np.ndarray[Any, Any]:
        assert isinstance(array, any_device.xp.ndarray)
        return any_device.host(array)

    return host
