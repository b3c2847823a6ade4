"""Failing allocations on a real build of the host twin."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from porter.base import paths
from porter.config import BuildConfig
from porter.conformance.expected import find_cpython
from porter.conformance.skips import load
from porter.pipeline import build
from porter.run import Device, Launch, open_device, run
from porter.sweep import subjects
from porter.sweep.model import Effect
from porter.sweep.sweep import sweep
from porter.sweep.trials import TrialOpener, TrialRunner
from porter.sync.lock import newest_release

pytestmark = pytest.mark.slow
PROGRAMS = Path(__file__).parent / "programs"

PROGRAM = """\
x = []
for i in range(10):
    x.append(str(i) * 20)
print(len(x))
try:
    y = bytearray(100)
except MemoryError:
    print('caught')
"""


@pytest.fixture(scope="session")
def folder() -> Path:
    release = newest_release()
    if not (paths.upstream_dir() / release / "py").is_dir():
        pytest.skip(f"{release} is not synced")
    return build(BuildConfig(release=release, heap=64 * 1024, arena="global")).folder


@pytest.fixture
def device(folder: Path) -> Device:
    return open_device(folder, "host")


def test_the_count_is_of_this_program(device: Device) -> None:
    small, large = run(device, ["", PROGRAM], 2, program_of=np.array([0, 1])).allocations
    assert 0 < small < large


@pytest.mark.parametrize("rest", [False, True])
def test_each_allocation_fails(device: Device, rest: bool) -> None:
    made = int(run(device, [PROGRAM], 1).allocations[0])
    n = made + 2
    settings = Launch(fail_allocation=np.arange(n), fail_rest=rest)
    result = run(device, [PROGRAM], n, settings)
    assert set(result.status) == {
        device.built.constants["GPUSNEK_OK"],
        device.built.constants["GPUSNEK_EXCEPTION"],
    }
    # Those whose turn comes later run as if nothing were to fail.
    assert (result.allocations[1:] >= np.minimum(np.arange(1, n), made)).all()
    assert result.stdout[0] == result.stdout[n - 1] == b"10\n"
    assert b"10\ncaught\n" in {result.stdout[i] for i in range(n)}
    for i in range(n):
        assert result.status[i] == 0 or b"MemoryError" in result.stderr[i] or rest


@pytest.mark.parametrize("rest", [False, True])
def test_own_programs_survive_every_failure(folder: Path, rest: bool) -> None:
    runner = TrialRunner.open(TrialOpener(folder, "host", 60.0, rest=rest), 512)
    swept = sweep(subjects.folder(PROGRAMS), runner)
    assert not swept.left and len(swept.rows) >= 8
    assert not swept.bad, swept.bad[:3]
    assert swept.total(Effect.MEMORY_ERROR) > 100


def test_upstream_programs_survive_some_failures(folder: Path) -> None:
    """A part of what `porter sweep` does; docs/lab/robustness.md has the whole."""
    release = newest_release()
    root = paths.upstream_dir() / release / "tests"
    cpython = find_cpython(paths.build_dir() / "conformance" / "expected")
    wanted = subjects.upstream(root, ("basics", "float"), cpython, load("host"))
    runner = TrialRunner.open(TrialOpener(folder, "host", 60.0), 512)
    swept = sweep(wanted, runner, limit=12, most=100)
    assert len(swept.rows) == 100
    assert not swept.bad, swept.bad[:3]
    assert swept.total(Effect.MEMORY_ERROR) > 200
