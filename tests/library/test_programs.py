"""Programs with calls of each module: an interpreter prints what CPython prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.run import Device

from .compare import assert_alike

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_program(any_device: Device, path: Path) -> None:
    assert_alike(any_device, path.read_text())
