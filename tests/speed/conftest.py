"""Devices whose interpreters can be copied: the local twin, then a GPU with local arenas."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from local_twin import LocalTwin, local_twin

from porter.run import Device, open_device
from porter.run.device.template_cache import Templates


@pytest.fixture(scope="session")
def twin(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> LocalTwin:
    if os.environ.get("PORTER_BOUNDS_CHECKS"):
        pytest.skip("fences know arenas that stay where they are")
    return local_twin(request.getfixturevalue("built"), tmp_path_factory.mktemp("twin"))


@pytest.fixture(scope="session")
def cuda() -> Iterator[Device]:
    if "PORTER_GPU_BUILD" not in os.environ:
        pytest.skip("PORTER_GPU_BUILD names no device build")
    device = open_device(Path(os.environ["PORTER_GPU_BUILD"]), "cuda")
    yield device
    device.close()


GPU = pytest.param("cuda", marks=pytest.mark.gpu)


def opened(kind: str, request: pytest.FixtureRequest) -> Device:
    """Return a device without cached templates."""
    if kind == "host":
        return open_device(request.getfixturevalue("built").folder, "host")
    device: Device = request.getfixturevalue(kind)
    device.templates = Templates()
    return device


@pytest.fixture(params=["twin", GPU])
def device(request: pytest.FixtureRequest) -> Device:
    found = opened(request.param, request)
    if not found.local:
        pytest.skip("arenas at different addresses cannot be copied")
    return found


@pytest.fixture(params=["host", "twin", GPU])
def any_of_all(request: pytest.FixtureRequest) -> Device:
    return opened(request.param, request)
