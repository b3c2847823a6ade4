"""Fixtures of the conformance tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from .fakes import FEATURES, RUN_TESTS, Release


@pytest.fixture
def release(tmp_path: Path) -> Release:
    """Return a release with a test runner and feature checks like upstream's, without tests."""
    made = Release(tmp_path / "tests")
    (made.root / "basics").mkdir(parents=True)
    made.add("run-tests.py", RUN_TESTS)
    for name in FEATURES:
        made.add(f"feature_check{name}", "# looked up, never run\n")
    made.add("feature_check/target_info.py", "print('any None 64')\n")
    return made
