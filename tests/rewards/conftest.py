from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from porter.rewards import Scorer

if TYPE_CHECKING:
    from porter.pipeline import Build


@pytest.fixture(scope="session")
def scorer(built: Build) -> Iterator[Scorer]:
    """Yield a scorer on the host twin that explains its scores."""
    with Scorer(build=built.folder, target="host", explain=True, steps=200_000) as made:
        yield made
