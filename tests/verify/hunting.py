"""Runs mutants of bytecode among sentinels, in processes that may die.

`hunt` is the loop of the tests and of the campaign. It makes mutants; interpreters load them and
execute the accepted ones. It reduces a batch that dies to the mutant at fault.

    python -m tests.verify.hunting BUILD TARGET SEED SECONDS     # prints findings and figures
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random

import attrs
from attrs import define, field, frozen

from porter.toolchain import children
from porter_dev.fuzz.calls.batch_process import BatchProcess, Opening
from porter_dev.fuzz.calls.faults import Fault, faults
from porter_dev.fuzz.calls.fuzz_batch import BatchEnded, BatchLimits, CallBatch
from tests.verify.mutating import mutants
from tests.verify.sources import SOURCES

TOGETHER = 12  # mutants that one program loads
PROGRAMS = 24  # programs of one launch
STEPS = 40_000  # of one program
LIMITS = BatchLimits(seconds=4.0, grace=0.5, margin=4.0)
SAY = partial(print, flush=True)
_COMPILING = """
import marshal
for s in {sources}:
    print(marshal.dumps(compile(s, 'f', 'exec')).hex())
"""
# Prints and drops the objects that a mutant makes, so that they are used.
_RUNNING = """
import marshal, gc
F = type(lambda: 0)
accepted = 0
for data in {data}:
    try:
        code = marshal.loads(data)
    except (ValueError, MemoryError, RuntimeError, SyntaxError):
        continue
    accepted += 1
    print('accepted')
    try:
        space = {{}}
        made = F(code, {{}})
        print(made, made.__name__)
        exec(code, space)
        print(repr(made())[:40])
        for value in list(space.values()):
            print(repr(value)[:20])
            if callable(value): value()
    except Exception as e:
        print(repr(e)[:40])
    try:
        marshal.dumps(code)
    except Exception:
        pass
    gc.collect()
"""


@frozen
class Crash:
    """A mutant, or several that only fail together, and what they did."""

    fault: Fault
    files: tuple[bytes, ...]


@define
class Hunted:
    """Figures of a hunt."""

    mutants: int = 0
    accepted: int = 0
    launches: int = 0
    stopped: int = 0
    seconds: float = 0.0
    crashes: list[Crash] = field(factory=list)

    @property
    def text(self) -> str:
        """Figures for people."""
        return (
            f"{self.mutants} mutants in {self.seconds:.0f} s, {self.accepted} accepted and"
            f" executed, {self.launches} launches, {self.stopped} stopped,"
            f" {len(self.crashes)} findings"
        )


def batch_of(programs: Sequence[Sequence[bytes]], sandbox: bool = False) -> CallBatch:
    """Return a launch whose programs load and execute the given files."""
    sources = tuple(_RUNNING.format(data=tuple(files)).encode() for files in programs)
    return CallBatch(sources, LIMITS, STEPS, sandbox, heap=160 * 1024)


def compiled(process: BatchProcess, sources: Sequence[str] = SOURCES) -> list[bytes]:
    """Compile sources in an interpreter. Returns their files."""
    texts = tuple(_COMPILING.format(sources=(source,)).encode() for source in sources)
    answer = process.run(CallBatch(texts, LIMITS))
    assert isinstance(answer, BatchEnded), answer
    return [bytes.fromhex(output.decode().strip()) for output in answer.outputs]


def hunt(
    process: BatchProcess,
    files: Sequence[bytes],
    seed: str,
    *,
    seconds: float,
    launches: int = 0,
    say: Callable[[str], None] = SAY,
) -> Hunted:
    """Run mutants until the time or the number of launches is used up.

    Args:
        process: Runs the launches.
        files: Valid files, which are mutated.
        seed: Seed of the mutations.
        seconds: Wall-clock limit.
        launches: The most launches; 0: no bound.
        say: Called with each finding.
    """
    found, made = Hunted(), mutants(files, Random(seed))
    begun = time.monotonic()
    sentinel = _sentinel(process)
    while time.monotonic() - begun < seconds and not 0 < launches <= found.launches:
        programs = [[next(made) for _ in range(TOGETHER)] for _ in range(PROGRAMS)]
        answer = process.run(batch_of(programs))
        found.launches += 1
        found.mutants += TOGETHER * PROGRAMS
        if isinstance(answer, BatchEnded):
            found.accepted += sum(output.count(b"accepted\n") for output in answer.outputs)
            found.stopped += answer.interrupted
        for fault in faults(answer, sentinel):
            suspects = programs if fault.program is None else [programs[fault.program]]
            crash = Crash(fault, _reduced(process, suspects, sentinel))
            if all(
                other.fault.key != crash.fault.key or not fault.place for other in found.crashes
            ):
                say(f"{fault.kind} {fault.place} {fault.what}: {crash.files!r}")
                say(fault.report[:3000])
                found.crashes.append(crash)
    found.seconds = time.monotonic() - begun
    return found


def _sentinel(process: BatchProcess) -> tuple[str, bytes]:
    """Return the status and output of a sentinel among programs that do nothing."""
    answer = process.run(attrs.evolve(batch_of([[]])))
    assert isinstance(answer, BatchEnded) and len(answer.sentinels) == 1, answer
    return next(iter(answer.sentinels))


def _reduced(
    process: BatchProcess, programs: Sequence[Sequence[bytes]], sentinel: tuple[str, bytes]
) -> tuple[bytes, ...]:
    """The files of the first program that fails alone, down to one where one suffices."""
    for files in programs:
        if not faults(process.run(batch_of([files])), sentinel):
            continue
        for data in files:
            if faults(process.run(batch_of([[data]])), sentinel):
                return (data,)
        return tuple(files)
    return tuple(data for files in programs for data in files)


def main(folder: str, target: str, seed: str, seconds: str) -> int:
    """Run a hunt on a build. Returns the exit code."""
    process = BatchProcess(Opening(Path(folder), target))
    try:
        with children(target):
            found = hunt(process, compiled(process), seed, seconds=float(seconds))
    finally:
        process.close()
    print(found.text)
    return int(bool(found.crashes))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
