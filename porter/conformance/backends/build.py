"""The host twin and the GPU as runners of conformance programs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import attrs

from porter.compiler.options import CompilerOptions
from porter.conformance.backends.isolate import Isolated
from porter.conformance.model import Script, ScriptOutcome, ScriptStatus
from porter.manifest import open_manifest

# Setting up, output and the hard stop come on top of a launch's own deadline, twice.
MARGIN = 60.0
COMPILING = 900.0  # the same where g++ makes machine code first


class ScriptLaunches(Protocol):
    """What runs one launch after the other: ``Isolated``, but for tests."""

    def run(self, programs: Sequence[Script]) -> list[ScriptOutcome]:
        """One launch."""
        ...

    def close(self) -> None:
        """No more launches for now."""
        ...


@attrs.frozen
class BuildRunner:
    """Runs programs in launches of up to ``chunk``, of which ``parallel`` run at once.

    A program that a launch's deadline stopped while it may have waited for its turn
    is run again, with no more than ``parallel`` in its launch.
    """

    target: str
    launches: ScriptLaunches
    chunk: int
    parallel: int
    skipped: frozenset[str] = frozenset()  # patches that the build does without

    @staticmethod
    def open(
        folder: Path,
        target: str,
        timeout: float,
        *,
        gc_stress: bool = False,
        sizes: Mapping[str, int] | None = None,
        native: CompilerOptions | None = None,
    ) -> BuildRunner:
        """A runner for the finished build in ``folder``; ``timeout`` in seconds a launch.

        ``sizes``: bytes of heap, pystack, stack or stdout that are not the build's. ``native``:
        programs run as machine code, made so.
        """
        from porter.conformance.backends.launch import ScriptOpener  # numpy and the runner

        opener = ScriptOpener(folder, target, timeout, gc_stress, sizes or {}, native)
        margin = MARGIN if native is None else COMPILING
        isolated = Isolated(opener, 2 * timeout + margin)
        skipped = frozenset(one.name for one in open_manifest(folder).patches.skipped)
        if target == "cuda":
            return BuildRunner(target, isolated, chunk=4096, parallel=4096, skipped=skipped)
        threads = os.cpu_count() or 1
        return BuildRunner(target, isolated, chunk=32 * threads, parallel=threads, skipped=skipped)

    def run(
        self,
        programs: Sequence[Script],
        done: Callable[[int, ScriptOutcome], None] | None = None,
    ) -> list[ScriptOutcome]:
        """Run all programs; see ``ScriptRunner.run``."""
        outcomes: dict[int, ScriptOutcome] = {}
        waiting = self._pass(programs, range(len(programs)), self.chunk, outcomes, done)
        self._pass(programs, waiting, self.parallel, outcomes, done)
        self.launches.close()
        return [outcomes[index] for index in range(len(programs))]

    def _pass(
        self,
        programs: Sequence[Script],
        indices: Sequence[int],
        size: int,
        outcomes: dict[int, ScriptOutcome],
        done: Callable[[int, ScriptOutcome], None] | None,
    ) -> list[int]:
        """Run ``indices`` in launches of ``size``; returns those that must run again."""
        again: list[int] = []
        for start in range(0, len(indices), size):
            part = indices[start : start + size]
            answers = self.launches.run([programs[index] for index in part])
            for index, outcome in zip(part, answers, strict=True):
                if outcome.status is ScriptStatus.TIMEOUT and len(part) > self.parallel:
                    again.append(index)
                    continue
                outcomes[index] = outcome
                if done is not None:
                    done(index, outcome)
        return again
