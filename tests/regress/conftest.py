"""An empty home without releases, for a run of `porter regress`."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.base import paths


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set PORTER_HOME to a fresh folder; no origin is reachable by accident."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("PORTER_HOME", str(folder))
    modules = folder / "gitmodules"
    modules.write_text(f'[submodule "upstream/micropython"]\n\turl = file://{folder}/no-repo\n')
    monkeypatch.setattr(paths, "gitmodules_file", lambda: modules)
    return folder
