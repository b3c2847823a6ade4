"""Fixtures of all tests: the shared host build, and the devices (the host twin, then a GPU)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

from porter.run import Device, open_device
from porter_dev import builds

if TYPE_CHECKING:
    from porter.pipeline import Build

# The duration of an example depends on the machine.
settings.register_profile("porter", deadline=None)
settings.load_profile("porter")


TARGETS = ["host", pytest.param("cuda", marks=pytest.mark.gpu)]


# Each opened library of a host build takes about 112 bytes of glibc's static TLS block, which has
# space for 15 of them; some workers open more (copies, damaged ones). glibc reads the variable when
# a process starts, so this reaches the workers of pytest-xdist, not a run without workers.
os.environ.setdefault("GLIBC_TUNABLES", "glibc.rtld.optional_static_tls=32768")


def shared(name: str, **changes: Any) -> Build:
    """Return a build that all tests share (porter_dev/builds.py), or skip the test without one."""
    pytest.importorskip("clang", reason="a machine for GPU tests alone builds nothing")
    try:
        return builds.shared(name, **changes)
    except builds.NoRelease as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def built() -> Build:
    """Return the host build of the newest synced release; other sizes of it compile nothing."""
    # The same lock as for the commands that tests run.
    return shared("bounds-checked" if os.environ.get("PORTER_BOUNDS_CHECKS") else "default")


@pytest.fixture(scope="session", params=TARGETS)
def any_device(request: pytest.FixtureRequest) -> Iterator[Device]:
    """Return the host twin; in tests marked gpu, the GPU with the build in $PORTER_GPU_BUILD."""
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
    """Return any_device, if an interpreter's heap may have a megabyte.

    Not on a GPU: its threads together have no such amount of local memory.
    """
    if any_device.name == "cuda" and any_device.local:
        pytest.skip("the build has local arenas")
    return any_device
