"""A build's runner: the division of programs into launches, and the treatment of hangs."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from porter.conformance.backends.build_runner import BuildRunner
from porter.conformance.records import Script, ScriptOutcome, ScriptStatus


@attrs.define
class Launches:
    """A fake launch that stops all programs from the first hanging one on, like a deadline."""

    sizes: list[int] = attrs.field(factory=list)

    def run(self, programs: Sequence[Script]) -> list[ScriptOutcome]:
        """Run one fake launch."""
        self.sizes.append(len(programs))
        hung = False
        outcomes = []
        for program in programs:
            hung = hung or program.source == b"hang"
            outcomes.append(
                ScriptOutcome(program.source, ScriptStatus.TIMEOUT if hung else ScriptStatus.OK)
            )
        return outcomes

    def close(self) -> None:
        """Do nothing: the fake holds no resources."""


def test_only_the_hanging_program_is_blamed() -> None:
    launches = Launches()
    runner = BuildRunner("host", launches, chunk=4, parallel=1)
    sources = [b"a", b"hang", b"b", b"c", b"d"]
    told: list[int] = []
    outcomes = runner.run([Script("/x.py", s) for s in sources], lambda i, _: told.append(i))
    hung = [outcome.status is ScriptStatus.TIMEOUT for outcome in outcomes]
    assert hung == [False, True, False, False, False]
    assert [outcome.output for outcome in outcomes] == sources
    assert launches.sizes == [4, 1, 1, 1, 1]
    assert sorted(told) == [0, 1, 2, 3, 4]


def test_where_all_run_at_once_nothing_is_run_again() -> None:
    launches = Launches()
    runner = BuildRunner("cuda", launches, chunk=8, parallel=8)
    outcomes = runner.run([Script("/x.py", s) for s in (b"a", b"hang")])
    assert [outcome.status for outcome in outcomes] == [ScriptStatus.OK, ScriptStatus.TIMEOUT]
    assert launches.sizes == [2]


def test_no_programs_no_launch() -> None:
    assert BuildRunner("cuda", Launches(), chunk=8, parallel=8).run([]) == []
