"""Recursion without a bound ends in an exception, or not at all: never in a crash."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from porter.base import paths
from porter.config import BuildConfig
from porter.pipeline import build
from porter.sync.lock import newest_release
from porter_dev.allocation_failure.injection import Injection
from porter_dev.allocation_failure.injection_runner import (
    InjectionOpener,
    InjectionRunner,
    InjectionSizes,
)

from .cases import CASES

pytestmark = pytest.mark.campaign("limits")

KIB = 1024
PYTHON_ENDS = ("GPUSNEK_OK", "GPUSNEK_EXCEPTION", "GPUSNEK_SYNTAX_ERROR")
# With all the stack that a build may have, these still must raise.
ENDLESS = ("function", "mutual", "equal", "property", "repr")


@pytest.fixture(scope="module")
def folder() -> Path:
    release = newest_release()
    if not (paths.upstream_dir() / release / "py").is_dir():
        pytest.skip(f"{release} is not synced")
    return build(BuildConfig(release=release, heap=64 * KIB, arena="global")).folder


@pytest.fixture(params=[2, 4, 8, 16, 32, 256], ids=lambda kib: f"{kib}K")
def runner(folder: Path, request: pytest.FixtureRequest) -> Iterator[InjectionRunner]:
    sizes = InjectionSizes(
        heap=96 * KIB, pystack=16 * KIB, stack=request.param * KIB, stderr=256 * KIB
    )
    runner = InjectionRunner.open(InjectionOpener(folder, "host", 60.0, sizes), chunk=len(CASES))
    yield runner
    runner.close()


def test_every_recursion_ends_as_python_ends(runner: InjectionRunner) -> None:
    endings = runner.run([Injection(name, source.encode()) for name, source in CASES.items()])
    ends = dict(zip(CASES, endings, strict=True))
    bad = {name: end for name, end in ends.items() if end.status not in PYTHON_ENDS}
    assert not bad
    for name in ENDLESS:
        last = ends[name].stderr.splitlines()[-1]
        assert last.startswith((b"RecursionError", b"MemoryError")), (name, last)
