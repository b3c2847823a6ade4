"""Fixtures: the synced releases of this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.base import paths
from porter.sync.store import synced_releases


@pytest.fixture(params=synced_releases() or ["none"])
def release(request: pytest.FixtureRequest) -> str:
    """Return each release in turn."""
    if request.param == "none":
        pytest.skip("no release is synced")
    return str(request.param)


@pytest.fixture
def upstream(release: str) -> Path:
    """Return the release's sources."""
    return paths.upstream_dir() / release
