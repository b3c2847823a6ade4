"""A synced release where this machine has one."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter import paths


def synced() -> list[str]:
    """Releases under upstream/, oldest first."""
    folder = paths.upstream_dir()
    found = folder.glob("*/py/mpconfig.h") if folder.is_dir() else ()
    return sorted(path.parent.parent.name for path in found)


@pytest.fixture(params=synced() or ["none"])
def release(request: pytest.FixtureRequest) -> str:
    """Each release in turn."""
    if request.param == "none":
        pytest.skip("no release is synced")
    return str(request.param)


@pytest.fixture
def upstream(release: str) -> Path:
    """The release's sources."""
    return paths.upstream_dir() / release
