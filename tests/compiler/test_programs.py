"""Programs that were once wrong as machine code, in every way to run them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from porter.torture.python import cpython
from porter.torture.python.examine import Examiner, difference
from porter.torture.python.modes import MODES

if TYPE_CHECKING:
    from porter.pipeline import Build

PROGRAMS = sorted(Path(__file__).with_name("programs").glob("*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_kept_programs(built: Build, mode: str) -> None:
    assert PROGRAMS
    sources = [path.read_text() for path in PROGRAMS]
    found = Examiner(built.folder, (mode,))()(sources)
    wrong = {
        path.name: shown
        for path, one, output in zip(PROGRAMS, found, cpython.outputs(sources), strict=True)
        if (shown := difference(one, output)) is not None
    }
    assert not wrong
