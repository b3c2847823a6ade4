"""Run a selection of upstream's tests on a runner and judge the outcomes.

The answers of upstream's ``feature_check`` programs determine the features of the build. Events
report the progress of a run. A test's result combines its outcome with upstream's verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import attrs

from porter.base.progress import ProgressReporter, Say
from porter.conformance.discovery import Test, files_for
from porter.conformance.expected_output import (
    CPython,
    Expectation,
    first_difference,
    normalise,
    unittest_summary,
)
from porter.conformance.file_images import FOLDER, Module, missing
from porter.conformance.records import (
    ReportedTest,
    Script,
    ScriptOutcome,
    ScriptRunner,
    ScriptStatus,
    Verdict,
)
from porter.conformance.runtests.runner import Answer, Judged, UpstreamRunner
from porter.conformance.skip_reasons import probe
from porter.conformance.skips import SkipList

_ENDINGS = {
    ScriptStatus.TIMEOUT: "timed out",
    ScriptStatus.CRASH: "crashed",
    ScriptStatus.EXCEPTION: "ended with an uncaught exception",
    ScriptStatus.EXIT: "exited with a status other than 0",
}


def answer(outcome: ScriptOutcome) -> Answer:
    """Convert ``outcome`` to the form in which upstream's runner gets it from a board."""
    return outcome.status is not ScriptStatus.OK, outcome.output


def judge(
    test: Test, outcome: ScriptOutcome, expectation: Expectation, judged: Judged
) -> ReportedTest:
    """Return the result of ``test`` without the skip list; a skip gets its reason later."""
    actual = normalise(judged.output or outcome.output)
    wanted = expectation.output
    cases = len(wanted.splitlines())

    def result(verdict: Verdict, reason: str = "", cases: int = 0) -> ReportedTest:
        return ReportedTest(test.name, verdict, reason, outcome.seconds, cases, wanted, actual)

    if outcome.status is not ScriptStatus.OK:
        ending = _ENDINGS[outcome.status]
        last = normalise(outcome.output).splitlines()[-1:] or [b""]
        told = outcome.note or last[0].decode("utf-8", errors="backslashreplace")
        return result(Verdict.FAIL, f"{ending}: {told}" if told else ending)
    if judged.error:
        return result(Verdict.FAIL, f"upstream's runner ends with {judged.error}")
    if judged.verdict == "skip":
        return result(Verdict.SKIP)
    if outcome.cut:
        return result(Verdict.FAIL, "the output is longer than its buffer: raise --stdout")
    verdict = Verdict.PASS if judged.verdict == "pass" else Verdict.FAIL
    summary = unittest_summary(actual)
    if summary is not None:
        reason = "" if verdict is Verdict.PASS else actual.splitlines()[-1].decode()
        return result(verdict, reason, summary.ran)
    reason = "" if verdict is Verdict.PASS else first_difference(wanted, actual)
    return result(verdict, reason, cases)


def against(listed: str | None, result: ReportedTest) -> ReportedTest:
    """Apply the skip list to a result. listed: the list's reason for this test, or None."""
    if listed is None:
        return result
    if result.verdict is Verdict.PASS:
        why = f"passes, but is listed as: {listed}"
        return attrs.evolve(result, verdict=Verdict.UNEXPECTED_PASS, reason=why)
    return attrs.evolve(result, verdict=Verdict.SKIP, reason=listed)


def skipped(result: ReportedTest, needs: tuple[str, ...], skips: SkipList) -> ReportedTest:
    """Return the result of a test that did not run, with the reason from the skip list.

    Args:
        result: Result without a reason.
        needs: Features that the test may lack; empty if unknown.
        skips: Skip list.
    """
    for need in needs:
        reason = skips.lacking(need)
        if reason is not None:
            return attrs.evolve(result, verdict=Verdict.SKIP, reason=f"needs {need}: {reason}")
    why = " or ".join(needs) or "something that it does not tell"
    reason = f"does not run: it needs {why}, which the skip list does not say that builds lack"
    return attrs.evolve(result, verdict=Verdict.UNLISTED_SKIP, reason=reason)


# Modules that tests import and that a build may have frozen.
_MODULES = ("asyncio", "uasyncio", "unittest")
_INFO = "target_info.py"
# Upstream's rules on sys.platform concern single boards and the protocol to talk to them. A build
# is driven like the unix port, so it reports to run on a PC.
_PLATFORM = b"linux"


@attrs.frozen
class Features:
    """The outputs of the checks, by file name, and the library modules that the build has."""

    answers: dict[str, Answer]
    modules: frozenset[str] = frozenset()


def check(root: Path, runner: ScriptRunner) -> Features:
    """Run the checks of ``root``, a release's ``tests/``, in one pass.

    The checks of the REPL are left out: upstream, too, runs them on its unix port only.
    """
    checks = sorted((root / "feature_check").glob("*.py"))
    sources = {p.name: p.read_bytes() for p in checks if not p.name.startswith("repl_")}
    imports = {f"import_{name}.py": f"import {name}\n".encode() for name in _MODULES}
    programs = [Script(f"/{name}", text) for name, text in {**sources, **imports}.items()]
    outcomes = dict(zip([*sources, *imports], runner.run(programs), strict=True))
    answers = {name: _answer(outcomes[name]) for name in sources}
    crashed, output = answers.pop(_INFO, (True, b""))
    if not crashed:  # without an answer, the runner assumes a PC, and each test fails by itself
        answers[_INFO] = False, _on_a_pc(output)
    found = [m for m in _MODULES if _answer(outcomes[f"import_{m}.py"]) == (False, b"")]
    return Features(answers, frozenset(found))


def _answer(outcome: ScriptOutcome) -> Answer:
    # Upstream appends "CRASH" to the output of a check that failed.
    if outcome.status is ScriptStatus.OK:
        return False, outcome.output
    return True, outcome.output + b"CRASH"


def _on_a_pc(output: bytes) -> bytes:
    _, space, rest = output.partition(b" ")
    return _PLATFORM + space + rest


@attrs.frozen
class Events:
    """Callbacks for the progress of a suite; the defaults do nothing."""

    expecting: Callable[[int], None] = lambda total: None
    expected: Callable[[], None] = lambda: None
    running: Callable[[int], None] = lambda total: None
    ran: Callable[[Test, ScriptOutcome], None] = lambda test, outcome: None


@attrs.frozen
class ConformanceSuite:
    """The tests of one run, with everything needed to run and judge them.

    Attributes:
        root: The release's ``tests/`` directory.
        tests: Tests to run.
        runner: Runs programs on the target.
        cpython: CPython that provides expected outputs.
        skips: Skip list.
        library: Modules that tests import; added to the image of a build that lacks them.
        events: Progress callbacks.
    """

    root: Path
    tests: Sequence[Test]
    runner: ScriptRunner
    cpython: CPython
    skips: SkipList
    library: tuple[Module, ...] = ()
    events: Events = attrs.field(factory=Events)

    def run(self) -> list[ReportedTest]:
        """Run all tests, in as few launches as the runner needs.

        Tests that upstream's rules leave out do not run. A failing test does not raise: its failure
        is a result.

        Returns:
            The results, in the order of the tests.

        Raises:
            UpstreamChange: Porter cannot drive upstream's runner.
            PorterError: The runner of the target cannot run at all.
        """
        found = check(self.root, self.runner)
        upstream = UpstreamRunner(self.root, found.answers)
        left = upstream.left_out([test.name for test in self.tests])
        tests = [test for test in self.tests if test.name not in left]
        self.events.expecting(len(tests))
        expected = self.cpython.expect_all(tests, self.events.expected)
        self.events.running(len(tests))
        programs = [self.program(test, found.modules) for test in tests]
        outcomes = self.runner.run(
            programs, lambda index, outcome: self.events.ran(tests[index], outcome)
        )
        judged = upstream.judge(
            {t.name: answer(o) for t, o in zip(tests, outcomes, strict=True)},
            {name: e.output for name, e in expected.items() if e.source == "cpython"},
        )
        results = {
            t.name: judge(t, o, expected[t.name], judged[t.name])
            for t, o in zip(tests, outcomes, strict=True)
        }
        needs = self._needs([t for t in tests if results[t.name].verdict is Verdict.SKIP], found)
        for name, checks in left.items():
            results[name] = ReportedTest(name, Verdict.SKIP)
            needs[name] = tuple(f"feature_check/{check}" for check in checks)
        return [self._final(results[test.name], needs) for test in self.tests]

    def _final(self, result: ReportedTest, needs: dict[str, tuple[str, ...]]) -> ReportedTest:
        listed = self.skips.reason(Test(self.root, result.test))
        if result.verdict is Verdict.SKIP and listed is None:
            return skipped(result, needs[result.test], self.skips)
        return against(listed, result)

    def _needs(self, tests: Sequence[Test], found: Features) -> dict[str, tuple[str, ...]]:
        """Find the features that the build lacks for each of ``tests``, which skip themselves."""
        if not tests:
            return {}
        probes = {test.name: probe(test.path.read_bytes()) for test in tests}
        able = [test for test in tests if probes[test.name] is not None]
        programs = [self.program(test, found.modules) for test in able]
        for index, test in enumerate(able):
            instrumented = probes[test.name]
            assert instrumented is not None
            programs[index] = attrs.evolve(programs[index], source=instrumented.source)
        outcomes = dict(zip((t.name for t in able), self.runner.run(programs), strict=True))
        told = {
            name: instrumented.need(outcomes[name])
            for name, instrumented in probes.items()
            if instrumented is not None
        }
        return {t.name: (need,) if (need := told.get(t.name)) else () for t in tests}

    def program(self, test: Test, importable: Collection[str] = ()) -> Script:
        """Return the program that runs ``test`` as upstream would.

        Args:
            test: Test to run.
            importable: Modules of the library that the build has itself.
        """
        source = test.path.read_bytes()
        tree = missing(self.library, importable, source, files_for(test), test.directory)
        return Script(
            name="/" + test.name,
            source=source,
            cwd="/" + test.directory,
            tree=tree,
            setup=_setup("/" + test.name),
        )


def _setup(name: str) -> bytes:
    # As the unix port before it runs a file: sys.path[0] is the file's directory, sys.argv[0] its
    # path. The module names do not persist: the test gets fresh globals.
    cwd = name.rpartition("/")[0]
    return (
        "import sys, os\n"
        f"os.chdir({cwd!r})\n"
        f"sys.path[:] = [{cwd!r}, '.frozen', '/{FOLDER}']\n"
        "if hasattr(sys, 'argv'):\n"
        f"    sys.argv[:] = [{name!r}]\n"
        "del sys, os\n"
    ).encode()


def events_of(progress: ProgressReporter, name: Say) -> Events:
    """Create the events that report progress.

    Args:
        progress: Receives the counts of finished tests.
        name: Receives a line for each test that hung or crashed.
    """
    expecting, running = _Counted(progress, "expected output"), _Counted(progress, "tests")

    def ran(test: Test, outcome: ScriptOutcome) -> None:
        if outcome.status in (ScriptStatus.TIMEOUT, ScriptStatus.CRASH):
            name(f"{outcome.status.value}: {test.name}")
        running.advance()

    return Events(
        expecting=expecting.start, expected=expecting.advance, running=running.start, ran=ran
    )


class _Counted:
    """A phase of the run with a known number of steps."""

    def __init__(self, progress: ProgressReporter, name: str) -> None:
        self._tell, self._name = progress, name
        self._done = self._total = 0

    def start(self, total: int) -> None:
        self._done, self._total = 0, total
        self._tell.now(self._name)

    def advance(self) -> None:
        self._done += 1
        self._tell.step(self._done, self._total)
