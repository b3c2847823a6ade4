"""Progress as plain lines: stages at once, long work every few seconds, short work never."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest

from porter.base import progress
from porter.base.progress import QUIET, PlainLines, ProgressReporter


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return a fake clock, which advances only when a test moves it."""
    now = [100.0]
    monkeypatch.setattr("porter.base.progress.time.monotonic", lambda: now[0])
    return now


def test_parts_and_steps(clock: list[float]) -> None:
    said: list[str] = []
    progress = PlainLines(said.append).reporter
    progress.say("compiling")
    for done in range(1, 9):
        clock[0] += 0.5
        progress.step(done, 170)
    assert said == ["compiling", "compiling: 4 of 170, 2 s", "compiling: 8 of 170, 4 s"]
    progress.say("linking")
    progress.step(1, 2)
    assert said[3:] == ["linking"]


def test_long_work_is_told_more_seldom(clock: list[float]) -> None:
    said: list[str] = []
    progress = PlainLines(said.append).reporter
    progress.say("tests")
    for done in range(3600):
        clock[0] += 1
        progress.step(done, 3600)
    times = [int(line.rsplit(" ", 2)[1]) for line in said[1:]]
    pauses = [later - earlier for earlier, later in pairwise([0, *times])]
    assert pauses[0] == 2 and pauses[-1] == 30 and pauses == sorted(pauses)
    assert len(said) < 150


def test_what_is_over_at_once_is_not_told(clock: list[float]) -> None:
    said: list[str] = []
    progress = PlainLines(said.append).reporter
    clock[0] += 60
    progress.now("loading the build")
    progress.step(1, 2)
    clock[0] += 1.9
    progress.step(2, 2)
    assert said == []
    clock[0] += 0.1
    progress.step(2, 2)
    assert said == ["loading the build: 2 of 2, 2 s"]


def test_parts_of_a_part_have_no_lines() -> None:
    said: list[str] = []
    seen: list[str] = []
    inner = ProgressReporter(said.append, now=seen.append).within()
    inner.say("rewriting")
    inner.now("reading")
    assert (said, seen) == ([], ["rewriting", "reading"])


def test_work_without_steps_shows_that_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.05)
    said: list[str] = []
    with PlainLines(said.append) as lines:
        lines.reporter.now("cloning")
        deadline = time.monotonic() + 30
        while len(said) < 3 and time.monotonic() < deadline:
            time.sleep(0.01)
    assert len(said) >= 3 and all(line.startswith("cloning, ") for line in said)
    after = len(said)
    time.sleep(0.2)
    assert len(said) == after  # no further line after the end


def test_the_default_is_on_stderr_and_quiet_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    PlainLines().reporter.say("reading 3 units")
    QUIET.say("nothing")
    QUIET.now("nothing")
    QUIET.step(1, 2)
    assert capsys.readouterr() == ("", "porter: reading 3 units\n")
