"""Upstream's whole suite on the plain C reference build: the runner against a known-good VM."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from porter import paths
from porter.cli import execute

# Tests that must pass, counted on upstream's C with every feature that needs no
# operating system.
PASSES = {"1.26.1": 859, "1.25.0": 840}


@pytest.mark.slow
@pytest.mark.parametrize("release", PASSES)
def test_reference_passes_all(release: str, tmp_path: Path) -> None:
    if not (paths.upstream_dir() / release / "tests" / "basics").is_dir():
        pytest.skip(f"{release} is not synced")
    path = tmp_path / "report.json"
    code = execute(
        ["conformance", "--release", release, "--target", "reference", "--json", str(path)]
    )
    counts = json.loads(path.read_text())["counts"]
    assert (counts["pass"], counts["fail"], code) == (PASSES[release], 0, 0)
