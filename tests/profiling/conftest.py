from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from porter.profiling import Profile, profile
from porter.run import Launch
from tests.cli.conftest import porter
from tests.conftest import shared

if TYPE_CHECKING:
    from porter.pipeline import Build

__all__ = ["porter"]  # a fixture

Profiled = Callable[..., Profile]


@pytest.fixture(scope="session")
def counting() -> Build:
    """Return a profiling host twin of the newest synced release."""
    return shared("profiling")


@pytest.fixture
def profiled(counting: Build) -> Profiled:
    """Return a function that profiles a source, with options of `porter.profile` and the launch."""

    def run(source: str, n: int = 1, *, launch: Launch | None = None, **options: Any) -> Profile:
        return profile(source, n, build=counting.folder, launch=launch, **options)

    return run


def instructions(found: Profile, file: str = "<string>") -> dict[int, int]:
    """Return the instructions by line."""
    return {line.line: line.counts.instructions for line in found.lines if line.file == file}
