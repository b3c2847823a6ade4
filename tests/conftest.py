"""One host build that all tests share, and what runs interpreters: the host twin, then a GPU."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from porter.config import BuildConfig
from porter.run import Device, open_device
from porter.sync.store import synced_releases

if TYPE_CHECKING:
    from porter.pipeline import Build

# How long an example takes is the machine's matter.
settings.register_profile("porter", deadline=None)
settings.load_profile("porter")

TARGETS = ["host", pytest.param("cuda", marks=pytest.mark.gpu)]


@pytest.fixture(scope="session")
def built() -> Build:
    """The host build of the newest release here; other sizes of it compile nothing."""
    pytest.importorskip("clang", reason="a machine for GPU tests alone builds nothing")
    from porter.pipeline import build

    found = synced_releases()
    if not found:
        pytest.skip("no release is synced")
    fences = bool(os.environ.get("PORTER_FENCES"))  # as for the commands that tests run
    return build(BuildConfig(release=found[-1], target="host", fences=fences), jobs=2)


@pytest.fixture(scope="session", params=TARGETS)
def any_device(request: pytest.FixtureRequest) -> Iterator[Device]:
    """The host twin; and, for tests marked gpu, the GPU with the build in $PORTER_GPU_BUILD."""
    if request.param == "host":
        device = open_device(request.getfixturevalue("built").folder, "host")
    elif "PORTER_GPU_BUILD" in os.environ:
        device = open_device(Path(os.environ["PORTER_GPU_BUILD"]), "cuda")
    else:
        pytest.skip("PORTER_GPU_BUILD names no device build")
    yield device
    device.close()


@pytest.fixture
def roomy_device(any_device: Device) -> Device:
    """any_device, where an interpreter's heap may have a megabyte: a GPU's threads have no such
    memory of their own, all of them together."""
    if any_device.name == "cuda" and any_device.local:
        pytest.skip("the build has local arenas")
    return any_device
