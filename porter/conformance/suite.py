"""Run a selection of upstream's tests on a runner and judge the outcomes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import attrs

from porter.conformance import features
from porter.conformance.discovery import Test
from porter.conformance.expected import CPython
from porter.conformance.judge import against, answer, judge, skipped
from porter.conformance.library import FOLDER, Module, missing
from porter.conformance.model import ReportedTest, Script, ScriptOutcome, ScriptRunner, Verdict
from porter.conformance.reasons import probe
from porter.conformance.runtests.runner import UpstreamRunner
from porter.conformance.skips import SkipList
from porter.conformance.tree import files_for


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
        found = features.check(self.root, self.runner)
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

    def _needs(self, tests: Sequence[Test], found: features.Features) -> dict[str, tuple[str, ...]]:
        """Find the features that the build lacks for each of ``tests``, which skip themselves."""
        if not tests:
            return {}
        probes = {test.name: probe(test.path.read_bytes()) for test in tests}
        able = [test for test in tests if probes[test.name] is not None]
        programs = [self.program(test, found.modules) for test in able]
        for index, test in enumerate(able):
            telling = probes[test.name]
            assert telling is not None
            programs[index] = attrs.evolve(programs[index], source=telling.source)
        outcomes = dict(zip((t.name for t in able), self.runner.run(programs), strict=True))
        told = {
            name: telling.need(outcomes[name])
            for name, telling in probes.items()
            if telling is not None
        }
        return {t.name: (need,) if (need := told.get(t.name)) else () for t in tests}

    def program(self, test: Test, importable: Collection[str] = ()) -> Script:
        """Return the program that runs ``test`` as upstream would.

        Args:
            test: Test to run.
            importable: Modules of the library that the build has itself.
        """
        source = test.path.read_bytes()
        tree = missing(self.library, importable, source, files_for(test))
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
