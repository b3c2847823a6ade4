"""Runs a selection of tests on a runner and judges them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import attrs

from porter.conformance import features, rules
from porter.conformance.discovery import Test
from porter.conformance.expected import CPython, Expectation
from porter.conformance.judge import judge
from porter.conformance.library import FOLDER, Module, missing
from porter.conformance.model import Outcome, Program, Result, Runner, Verdict
from porter.conformance.skips import SkipList
from porter.conformance.tree import files_for


@attrs.frozen
class Events:
    """What a suite tells while it runs; each does nothing by default."""

    expecting: Callable[[int], None] = lambda total: None
    expected: Callable[[], None] = lambda: None
    running: Callable[[int], None] = lambda total: None
    ran: Callable[[Test, Outcome], None] = lambda test, outcome: None


@attrs.frozen
class Suite:
    """The tests of one run, and what is needed to run and to judge them.

    ``library`` holds modules that the tests import; a build that lacks one finds it
    in its image.
    """

    root: Path
    tests: Sequence[Test]
    runner: Runner
    cpython: CPython
    skips: SkipList
    library: tuple[Module, ...] = ()
    events: Events = attrs.field(factory=Events)

    def run(self) -> list[Result]:
        """Run all tests, in as few launches as the runner needs; results in the tests' order.

        Tests that upstream's rules leave out by name are not run. Raises what the
        runner raises when it cannot run at all; a test's own failure is a result.
        """
        found = features.check(self.root, self.runner)
        out = {t.name: reason for t in self.tests if (reason := rules.left_out(t, found))}
        to_run = [test for test in self.tests if test.name not in out]
        self.events.expecting(len(to_run))
        expected = self.cpython.expect_all(to_run, self.events.expected)
        self.events.running(len(to_run))
        programs = [self.program(test, found.modules) for test in to_run]
        outcomes = self.runner.run(
            programs, lambda index, outcome: self.events.ran(to_run[index], outcome)
        )
        judged = self._judge(to_run, outcomes, expected)
        left = {name: self._left_out(name, reason) for name, reason in out.items()}
        return [judged.get(test.name) or left[test.name] for test in self.tests]

    def program(self, test: Test, importable: Collection[str] = ()) -> Program:
        """What an interpreter needs to run ``test`` as upstream would.

        ``importable`` names the modules of the library that the build has itself.
        """
        source = test.path.read_bytes()
        tree = missing(self.library, importable, source, files_for(test))
        return Program(
            name="/" + test.name,
            source=source,
            cwd="/" + test.directory,
            tree=tree,
            setup=_setup("/" + test.name),
        )

    def _judge(
        self, tests: Sequence[Test], outcomes: Sequence[Outcome], expected: dict[str, Expectation]
    ) -> dict[str, Result]:
        pairs = zip(tests, outcomes, strict=True)
        return {t.name: judge(t, o, expected[t.name], self.skips.reason(t)) for t, o in pairs}

    def _left_out(self, name: str, rule: str) -> Result:
        listed = self.skips.reason(Test(self.root, name))
        if listed is None:
            why = f"left out by upstream's rule ({rule}), and is not on the skip list"
            return Result(name, Verdict.UNLISTED_SKIP, why)
        return Result(name, Verdict.SKIP, listed)


def _setup(name: str) -> bytes:
    # What the unix port does before it runs a file: sys.path[0] is the file's
    # directory, sys.argv[0] its path. The names do not stay: the test sees fresh globals.
    cwd = name.rpartition("/")[0]
    return (
        "import sys, os\n"
        f"os.chdir({cwd!r})\n"
        f"sys.path[:] = [{cwd!r}, '.frozen', '/{FOLDER}']\n"
        "if hasattr(sys, 'argv'):\n"
        f"    sys.argv[:] = [{name!r}]\n"
        "del sys, os\n"
    ).encode()
