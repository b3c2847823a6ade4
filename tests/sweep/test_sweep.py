"""The plan and the accounting of a sweep, on a fake runner."""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from porter.errors import UsageError
from porter_dev.allocation_failure import subjects
from porter_dev.allocation_failure.model import Effect, Ending, SweptProgram, Trial
from porter_dev.allocation_failure.sweep import sweep
from porter_dev.allocation_failure.trials import TrialRunner

MADE = 10  # allocations of the fake programs


def _run(trials: Sequence[Trial]) -> list[Ending]:
    return [_one(trial) for trial in trials]


def _one(trial: Trial) -> Ending:
    if trial.name == "dies.py" and trial.fail == 7:
        signal.raise_signal(signal.SIGKILL)
    if trial.name == "broken.py":
        return Ending("GPUSNEK_EXCEPTION", b"", b"NameError: x\n", MADE)
    if 0 < trial.fail <= MADE:
        return Ending("GPUSNEK_EXCEPTION", b"", b"MemoryError: \n", MADE)
    return Ending("GPUSNEK_OK", b"well\n", allocations=MADE)


def opener() -> Callable[[Sequence[Trial]], list[Ending]]:
    return _run


@pytest.fixture
def runner() -> TrialRunner:
    from porter.conformance.backends.isolated_process import Isolated
    from porter_dev.allocation_failure.trials import lost

    return TrialRunner(Isolated(opener, 30.0, lost), chunk=8)


def test_every_allocation_fails_once(runner: TrialRunner) -> None:
    wanted = [SweptProgram("a.py", b"a", b"well\n"), SweptProgram("broken.py", b"b", b"well\n")]
    swept = sweep(wanted, runner)
    assert swept.left == ["broken.py"]
    assert [(row.name, row.allocations, row.stride) for row in swept.rows] == [("a.py", MADE, 1)]
    assert swept.rows[0].counts == {Effect.MEMORY_ERROR: MADE, Effect.RIGHT: 1}
    assert not swept.bad and swept.neighbours == 1


def test_a_limit_strides(runner: TrialRunner) -> None:
    swept = sweep([SweptProgram("a.py", b"a", b"well\n")], runner, limit=4)
    assert swept.rows[0].stride == 3
    assert swept.rows[0].counts == {Effect.MEMORY_ERROR: 4, Effect.RIGHT: 1}


def test_a_trial_that_kills_the_process_is_the_only_one_lost(runner: TrialRunner) -> None:
    wanted = [SweptProgram("dies.py", b"d", b"well\n"), SweptProgram("a.py", b"a", b"well\n")]
    swept = sweep(wanted, runner)
    assert [(bad.trial.name, bad.trial.fail, bad.verdict) for bad in swept.bad] == [
        ("dies.py", 7, Effect.CRASH)
    ]
    assert swept.bad[0].ending.note == "SIGKILL"
    assert swept.total(Effect.MEMORY_ERROR) == 2 * MADE - 1


def test_a_folder_of_programs(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("print(1)\n")
    (tmp_path / "one.out").write_text("1\n")
    (tmp_path / "two.py").write_text("print(2)\n")
    found = subjects.folder(tmp_path)
    assert [(s.name, s.expected) for s in found] == [("one.py", b"1\n"), ("two.py", b"")]
    with pytest.raises(UsageError, match=r"no \.py files"):
        subjects.folder(tmp_path / "nothing")
