"""Generate programs for launches of tens of thousands, in several processes.

A GPU runs programs faster than one process can generate them.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Protocol

from attrs import define, field

from porter.base.process import begin_worker, kill_workers
from porter_dev.fuzz.calls.programs import CallProgram

MANY = 2048  # programs per batch from which on several processes are worth their start
_PIECE = 256  # programs that a process generates at a time
_MOST = 16  # maximum number of processes


class ProgramGenerator(Protocol):
    """An interface for generating the program of a seed; pickled and sent to the processes."""

    def program(self, seed: str) -> CallProgram:
        """Return the program of `seed`."""
        ...


_generator: ProgramGenerator | None = None


@define
class ProgramMaker:
    """A source of programs by their seeds; with `many`, several processes generate them."""

    generator: ProgramGenerator
    many: bool = False
    _pool: ProcessPoolExecutor | None = field(default=None, init=False)

    def __call__(self, seeds: Sequence[str]) -> list[CallProgram]:
        """Return the programs of `seeds`, in order."""
        if not self.many or len(seeds) <= _PIECE:
            return [self.generator.program(seed) for seed in seeds]
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                min(os.cpu_count() or 1, _MOST),
                multiprocessing.get_context("spawn"),
                initializer=_begin,
                initargs=(self.generator,),
            )
        pieces = [seeds[at : at + _PIECE] for at in range(0, len(seeds), _PIECE)]
        return [program for made in self._pool.map(_make, pieces) for program in made]

    def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            kill_workers(self._pool)
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None


def _begin(generator: ProgramGenerator) -> None:
    global _generator
    begin_worker()
    _generator = generator


def _make(seeds: Sequence[str]) -> list[CallProgram]:
    assert _generator is not None
    return [_generator.program(seed) for seed in seeds]
