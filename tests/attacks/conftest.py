from __future__ import annotations

from collections.abc import Iterator

import pytest

from .machines import Machine


@pytest.fixture(scope="module")
def host() -> Iterator[Machine]:
    """Return the host twin."""
    machine = Machine("host")
    yield machine
    machine.close()


@pytest.fixture(scope="module")
def gpu() -> Iterator[Machine]:
    """Return the GPU."""
    machine = Machine("cuda")
    yield machine
    machine.close()
