"""Run conformance programs on a build: the host twin or the GPU."""

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

# Seconds beyond twice a launch's own deadline, for setup, output and the hard stop.
MARGIN = 60.0
COMPILING = 900.0  # the same if g++ compiles native code first


class ScriptLaunches(Protocol):
    """An interface for running one launch after the other; `Isolated`, or a fake in tests."""

    def run(self, programs: Sequence[Script]) -> list[ScriptOutcome]:
        """Run one launch."""
        ...

    def close(self) -> None:
        """End the process; a later launch starts a new one."""
        ...


@attrs.frozen
class BuildRunner:
    """A runner with launches of up to ``chunk`` programs, of which ``parallel`` run at once.

    The deadline of a launch may stop a program that only waited for a thread. The program then
    runs again, in a launch of at most ``parallel`` programs.
    """

    target: str
    launches: ScriptLaunches
    chunk: int
    parallel: int
    skipped: frozenset[str] = frozenset()  # patches that the build lacks

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
        """Create a runner for the finished build in ``folder``.

        Args:
            folder: Folder of the build.
            target: Target to run on.
            timeout: Seconds per launch.
            gc_stress: Whether each allocation collects garbage.
            sizes: Sizes in bytes of heap, pystack, stack or stdout that differ from the build's.
            native: Options of the native compiler, if programs run as native code.
        """
        from porter.conformance.backends.launch import ScriptOpener  # imports numpy and porter.run

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
        """Run ``indices`` in launches of ``size``; return the indices that must run again."""
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
