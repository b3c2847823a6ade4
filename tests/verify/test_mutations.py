"""Mutated bytecode disturbs no neighbour: a small hunt by default, a long one as a campaign."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from porter.config import BuildConfig
from porter.pipeline import build
from porter.toolchain import children
from porter_dev import builds
from porter_dev.fuzz.calls.batch_process import BatchProcess, Opening
from tests.conftest import shared
from tests.verify.hunting import TOGETHER, Hunted, compiled, hunt
from tests.verify.mutating import mutants, parts

SECONDS_OF_CAMPAIGN = 240.0


@pytest.fixture(params=["default", "bounds-checked"])
def process(request: pytest.FixtureRequest) -> Iterator[BatchProcess]:
    """A process that runs the host twin of a shared build."""
    process = BatchProcess(Opening(shared(request.param).folder, "host"))
    yield process
    process.close()


def no_crash(found: Hunted) -> None:
    """Fail with the files that crashed."""
    assert not found.crashes, [(c.fault.kind, c.fault.what, c.files) for c in found.crashes]


def test_mutated_code_disturbs_nobody(process: BatchProcess) -> None:
    found = hunt(process, compiled(process), "tests", seconds=60.0, launches=6)
    no_crash(found)
    assert found.mutants == 6 * 24 * TOGETHER
    assert 0.02 * found.mutants < found.accepted < 0.6 * found.mutants


def test_mutants_are_made_of_a_seed_and_differ(process: BatchProcess) -> None:
    files = compiled(process)
    made = mutants(files, Random("1"))
    first = [next(made) for _ in range(200)]
    again = mutants(files, Random("1"))
    assert first == [next(again) for _ in range(200)]
    assert len(set(first)) > 150
    for data in files:
        found = parts(data)
        assert found and all(part.head < part.start < part.code < part.end for part in found)


@pytest.mark.campaign("mutated-bytecode")
def test_mutated_code_under_the_sanitizers() -> None:
    folder = build(BuildConfig(release=builds.release(), target="host"), variant="asan").folder
    process = BatchProcess(Opening(folder, "host-asan"))
    try:
        with children("host-asan"):
            found = hunt(process, compiled(process), "campaign", seconds=SECONDS_OF_CAMPAIGN)
    finally:
        process.close()
    print(found.text)
    no_crash(found)
    assert found.accepted > 1000
