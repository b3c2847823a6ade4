from __future__ import annotations

import pytest

from porter.run import Device, open_device
from tests.conftest import shared


@pytest.fixture(scope="session")
def fenced() -> Device:
    """Return the host twin of the newest release here, with bounds checks."""
    return open_device(shared("bounds-checked").folder, "host")
