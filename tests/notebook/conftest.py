from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from porter.pipeline import Build
    from tests.notebook.executing import Execute, Ran


@pytest.fixture(scope="session")
def execute(built: Build) -> Execute:
    """Return a function that runs cells in a new kernel; see execute_cells."""
    from tests.notebook.executing import execute_cells

    def execute(*cells: str | tuple[str, str]) -> list[Ran]:
        return execute_cells(built.folder, cells)

    return execute
