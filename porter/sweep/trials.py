"""Runs trials in launches of many interpreters, in a child process that may die."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import attrs
import numpy as np

from porter.array.each import CodeOfEach
from porter.compiler.options import CompilerOptions
from porter.conformance.backends.build import COMPILING
from porter.conformance.backends.isolate import Died, Isolated
from porter.conformance.backends.native import TestCompiler
from porter.conformance.model import ScriptStatus
from porter.run import Device, Launch, Program, open_device, run
from porter.run.launch.spec import Phase
from porter.sweep.model import Ending, Trial

Run = Callable[[Sequence[Trial]], list[Ending]]
MARGIN = 60.0  # seconds beyond a launch's deadline before its process is ended


@attrs.frozen
class TrialSizes:
    """Bytes per interpreter."""

    heap: int = 64 * 1024
    pystack: int = 8 * 1024
    stack: int = 32 * 1024
    stdout: int = 16 * 1024
    stderr: int = 4 * 1024


@attrs.frozen
class TrialOpener:
    """Opens a build in the process that runs it. ``seconds``: the deadline of one launch.

    rest: the failing allocation and all later ones fail. native: programs run as machine code,
    made so.
    """

    folder: Path
    target: str
    seconds: float
    sizes: TrialSizes = TrialSizes()
    rest: bool = False
    native: CompilerOptions | None = None

    def __call__(self) -> Run:
        """What runs trials; raises what opening the device raises."""
        launch = Launch(**attrs.asdict(self.sizes), fail_rest=self.rest, timeout=self.seconds)
        if self.native is not None:
            return compiled_trials(TestCompiler.of(self.folder, self.target, self.native), launch)
        return trials_on(open_device(self.folder, self.target), launch)

    @property
    def most(self) -> float:
        """Seconds that a launch may take in all, with what is made before it."""
        return self.seconds + (MARGIN if self.native is None else COMPILING)


def trials_on(device: Device, launch: Launch) -> Run:
    """What runs trials on `device`, as `launch` says, each call one launch."""

    def trials(wanted: Sequence[Trial]) -> list[Ending]:
        programs, which = _programs(wanted)
        return _endings(device, wanted, programs, which, launch, Phase())

    return trials


def compiled_trials(compiler: TestCompiler, launch: Launch) -> Run:
    """The same of machine code: interpreters run code that was compiled before, and all of it is
    machine code. Programs that do not compile run as they are."""

    def trials(wanted: Sequence[Trial]) -> list[Ending]:
        programs, which = _programs(wanted)
        codes = compiler.codes(programs, launch)
        some = [i for i, code in enumerate(codes) if code is not None]
        place = {i: at for at, i in enumerate(some)}
        device, modules = compiler.machine([codes[i] for i in some])
        found: dict[int, Ending] = {}
        try:
            for compiled in (True, False):
                mine = [k for k, i in enumerate(which) if (i in place) == compiled]
                if not mine:
                    continue
                chosen = [wanted[k] for k in mine]
                if compiled:
                    each = CodeOfEach.of(device, [code for code in codes if code is not None])
                    numbers, phase = [place[which[k]] for k in mine], each.phase(modules)
                    ended = _endings(device, chosen, [], numbers, launch, phase)
                else:
                    numbers = [which[k] for k in mine]
                    ended = _endings(device, chosen, programs, numbers, launch, Phase())
                found |= dict(zip(mine, ended, strict=True))
        finally:
            if device is not compiler.device:
                device.close()
        return [found[k] for k in range(len(wanted))]

    return trials


def _programs(wanted: Sequence[Trial]) -> tuple[list[Program], list[int]]:
    """The programs, once each, and which one each trial runs."""
    numbers: dict[tuple[str, bytes], int] = {}
    which = [numbers.setdefault((t.name, t.source), len(numbers)) for t in wanted]
    return [Program(source, name) for name, source in numbers], which


def _endings(
    device: Device,
    wanted: Sequence[Trial],
    programs: Sequence[Program],
    which: Sequence[int],
    launch: Launch,
    phase: Phase,
) -> list[Ending]:
    done = run(
        device,
        programs,
        len(wanted),
        attrs.evolve(launch, fail_allocation=[t.fail for t in wanted]),
        phase,
        program_of=np.array(which, np.uint32),
    )
    name_of = device.built.status.name_of
    return [
        Ending(
            _stopped(name_of(int(done.status[i])), done.stderr[i], done.interrupted),
            done.stdout[i],
            done.stderr[i],
            int(done.allocations[i]),
            bool(done.stdout.cut[i]),
        )
        for i in range(len(wanted))
    ]


def _stopped(status: str, stderr: bytes, late: bool) -> str:
    interrupted = status == "GPUSNEK_STATUS_NOT_RUN" or b"KeyboardInterrupt" in stderr
    return "GPUSNEK_STOPPED" if late and interrupted else status


def lost(died: Died) -> Ending:
    """The ending of a trial whose process died with it."""
    status = "GPUSNEK_STOPPED" if died.status is ScriptStatus.TIMEOUT else "process died"
    return Ending(status, note=died.note)


class TrialLaunches(Protocol):
    """What runs one launch after the other: ``Isolated``, but for tests."""

    def run(self, programs: Sequence[Trial]) -> list[Ending]:
        """One launch."""
        ...

    def close(self) -> None:
        """No more launches for now."""
        ...


@attrs.frozen
class TrialRunner:
    """Runs any number of trials, ``chunk`` a launch.

    Those that a deadline stopped run once more with no queue before them, ``parallel`` at once.
    """

    launches: TrialLaunches
    chunk: int
    parallel: int = 1

    @staticmethod
    def open(opener: TrialOpener, chunk: int, parallel: int = 1) -> TrialRunner:
        """A runner on a build."""
        return TrialRunner(Isolated(opener, opener.most, lost), chunk, parallel)

    def run(
        self, trials: Sequence[Trial], done: Callable[[int], None] = lambda count: None
    ) -> list[Ending]:
        """The endings, in the trials' order; ``done`` is told how many more there are."""
        endings: list[Ending] = []
        for start in range(0, len(trials), self.chunk):
            part = trials[start : start + self.chunk]
            endings += self.launches.run(part)
            done(len(part))
        late = [i for i, ending in enumerate(endings) if ending.status == "GPUSNEK_STOPPED"]
        for start in range(0, len(late), self.parallel):
            again = late[start : start + self.parallel]
            answers = self.launches.run([trials[i] for i in again])
            for i, ending in zip(again, answers, strict=True):
                endings[i] = ending
        return endings

    def close(self) -> None:
        """End the process."""
        self.launches.close()
