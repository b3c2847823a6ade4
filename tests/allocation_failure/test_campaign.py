"""The plan and the accounting of a sweep, on a fake runner."""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from porter.errors import UsageError
from porter_dev.allocation_failure import subjects
from porter_dev.allocation_failure.injection import Effect, Ending, InjectedProgram, Injection
from porter_dev.allocation_failure.injection_campaign import inject_failures
from porter_dev.allocation_failure.injection_runner import InjectionRunner

MADE = 10  # allocations of the fake programs


def _run(injections: Sequence[Injection]) -> list[Ending]:
    return [_one(injection) for injection in injections]


def _one(injection: Injection) -> Ending:
    if injection.name == "dies.py" and injection.fail == 7:
        signal.raise_signal(signal.SIGKILL)
    if injection.name == "broken.py":
        return Ending("GPUSNEK_EXCEPTION", b"", b"NameError: x\n", MADE)
    if 0 < injection.fail <= MADE:
        return Ending("GPUSNEK_EXCEPTION", b"", b"MemoryError: \n", MADE)
    return Ending("GPUSNEK_OK", b"well\n", allocations=MADE)


def opener() -> Callable[[Sequence[Injection]], list[Ending]]:
    return _run


@pytest.fixture
def runner() -> InjectionRunner:
    from porter.conformance.backends.isolated_process import Isolated
    from porter_dev.allocation_failure.injection_runner import lost

    return InjectionRunner(Isolated(opener, 30.0, lost), chunk=8)


def test_every_allocation_fails_once(runner: InjectionRunner) -> None:
    wanted = [
        InjectedProgram("a.py", b"a", b"well\n"),
        InjectedProgram("broken.py", b"b", b"well\n"),
    ]
    results = inject_failures(wanted, runner)
    assert results.left == ["broken.py"]
    assert [(row.name, row.allocations, row.stride) for row in results.rows] == [("a.py", MADE, 1)]
    assert results.rows[0].counts == {Effect.MEMORY_ERROR: MADE, Effect.RIGHT: 1}
    assert not results.bad and results.neighbours == 1


def test_a_limit_strides(runner: InjectionRunner) -> None:
    results = inject_failures([InjectedProgram("a.py", b"a", b"well\n")], runner, limit=4)
    assert results.rows[0].stride == 3
    assert results.rows[0].counts == {Effect.MEMORY_ERROR: 4, Effect.RIGHT: 1}


def test_a_trial_that_kills_the_process_is_the_only_one_lost(runner: InjectionRunner) -> None:
    wanted = [InjectedProgram("dies.py", b"d", b"well\n"), InjectedProgram("a.py", b"a", b"well\n")]
    results = inject_failures(wanted, runner)
    assert [(bad.injection.name, bad.injection.fail, bad.verdict) for bad in results.bad] == [
        ("dies.py", 7, Effect.CRASH)
    ]
    assert results.bad[0].ending.note == "SIGKILL"
    assert results.total(Effect.MEMORY_ERROR) == 2 * MADE - 1


def test_a_folder_of_programs(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("print(1)\n")
    (tmp_path / "one.out").write_text("1\n")
    (tmp_path / "two.py").write_text("print(2)\n")
    found = subjects.folder(tmp_path)
    assert [(s.name, s.expected) for s in found] == [("one.py", b"1\n"), ("two.py", b"")]
    with pytest.raises(UsageError, match=r"no \.py files"):
        subjects.folder(tmp_path / "nothing")
