from __future__ import annotations

import pytest

from porter.config import BuildConfig
from porter.run import Device, open_device
from porter.sync.store import synced_releases


@pytest.fixture(scope="session")
def fenced() -> Device:
    """The host twin of the newest release here, with fences."""
    pytest.importorskip("clang", reason="a machine for GPU tests alone builds nothing")
    from porter.pipeline import build

    found = synced_releases()
    if not found:
        pytest.skip("no release is synced")
    config = BuildConfig(release=found[-1], target="host", fences=True)
    return open_device(build(config, jobs=2).folder, "host")
