"""Worker processes that keep parsed units in memory between the facts and the rewrite phase."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from types import TracebackType

from porter.base.process import begin_worker, kill_workers, undisturbed
from porter.rewrite.facts import UnitFacts
from porter.rewrite.program import WholeProgram
from porter.rewrite.unit import Rewritten, rewrite_unit, unit_facts
from porter.syntax import Unit, parse_unit

_parsed: dict[str, Unit] = {}  # the units of this worker process


def _unit(name: str, path: Path) -> Unit:
    if name not in _parsed:
        _parsed[name] = parse_unit(name, path)
    return _parsed[name]


def _collect(name: str, path: Path) -> UnitFacts:
    return unit_facts(_unit(name, path))


def _rewrite(name: str, path: Path, program: WholeProgram) -> Rewritten:
    return rewrite_unit(_unit(name, path), program)


class UnitPool:
    """Worker processes, each with a fixed share of the units, so that each unit is parsed once.

    Units are assigned largest first to the worker with the least bytes.
    """

    def __init__(self, units: Mapping[str, Path], jobs: int) -> None:
        self.units = units
        self._workers = [
            ProcessPoolExecutor(max_workers=1, initializer=begin_worker)
            for _ in range(max(1, jobs))
        ]
        self._owner: dict[str, ProcessPoolExecutor] = {}
        load = [0] * len(self._workers)
        for name in sorted(units, key=lambda name: (-units[name].stat().st_size, name)):
            least = load.index(min(load))
            load[least] += units[name].stat().st_size
            self._owner[name] = self._workers[least]

    def facts(self, names: Sequence[str]) -> list[Future[UnitFacts]]:
        """Start to collect the facts of some units."""
        with undisturbed():  # the first submit forks the worker
            return [self._owner[name].submit(_collect, name, self.units[name]) for name in names]

    def rewrite(self, names: Sequence[str], program: WholeProgram) -> list[Future[Rewritten]]:
        """Start to rewrite some units."""
        with undisturbed():
            return [
                self._owner[name].submit(_rewrite, name, self.units[name], program)
                for name in names
            ]

    def __enter__(self) -> UnitPool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            # After an error or Ctrl-C, no running unit is awaited. All workers are killed before
            # any is shut down: each inherited the others' pipes, so a write to a dead worker's pipe
            # blocks as long as another worker lives.
            for worker in self._workers:
                kill_workers(worker)
        for worker in self._workers:
            worker.shutdown(cancel_futures=True)
