from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from fake_build import fake_build

from porter.run import Device, open_device


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fake_build(tmp_path_factory.mktemp("fake"))


@pytest.fixture
def device(build: Path) -> Device:
    return open_device(build, "host")
