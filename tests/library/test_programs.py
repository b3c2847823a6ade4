"""Programs with calls of each module: an interpreter prints what CPython prints."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from porter.run import Device

from .compare import printed

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_program(any_device: Device, path: Path) -> None:
    done = subprocess.run([sys.executable, path], capture_output=True, check=True)
    assert printed(any_device, path.read_text()) == done.stdout.decode()
