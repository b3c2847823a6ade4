"""Fixtures of the conformance tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from .fakes import FEATURES, Release


@pytest.fixture
def release(tmp_path: Path) -> Release:
    """A release with upstream's feature checks and no test yet."""
    made = Release(tmp_path / "tests")
    (made.root / "basics").mkdir(parents=True)
    for name in FEATURES:
        made.add(f"feature_check{name}", "# looked up, never run\n")
    return made
