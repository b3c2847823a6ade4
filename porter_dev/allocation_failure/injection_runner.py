"""Run injections in launches of many interpreters, in a child process that may crash."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import attrs
import numpy as np

from porter.compiler.options import CompilerOptions
from porter.conformance.backends.build_runner import COMPILING, TestCompiler
from porter.conformance.backends.isolated_process import Died, Isolated
from porter.conformance.records import ScriptStatus
from porter.native.code import CodeOfEach
from porter.run import Device, Launch, Program, open_device, run
from porter.run.launch.options import Phase
from porter_dev.allocation_failure.injection import Ending, Injection

Run = Callable[[Sequence[Injection]], list[Ending]]
MARGIN = 60.0  # seconds beyond a launch's deadline after which its process is killed


@attrs.frozen
class InjectionSizes:
    """Memory sizes of one interpreter, in bytes."""

    heap: int = 64 * 1024
    pystack: int = 8 * 1024
    stack: int = 32 * 1024
    stdout: int = 16 * 1024
    stderr: int = 4 * 1024


@attrs.frozen
class InjectionOpener:
    """A picklable function that opens a build, in the child process.

    Attributes:
        folder: Folder of the build.
        target: Target to run on.
        seconds: Deadline of a launch.
        sizes: Memory sizes of an interpreter.
        rest: Whether all allocations after the failing one fail as well.
        native: Options of the native compiler, if programs run as native code.
    """

    folder: Path
    target: str
    seconds: float
    sizes: InjectionSizes = InjectionSizes()
    rest: bool = False
    native: CompilerOptions | None = None

    def __call__(self) -> Run:
        """Open the device and return the function that runs injections."""
        launch = Launch(**attrs.asdict(self.sizes), fail_rest=self.rest, timeout=self.seconds)
        if self.native is not None:
            return compiled_injections(
                TestCompiler.of(self.folder, self.target, self.native), launch
            )
        return injections_on(open_device(self.folder, self.target), launch)

    @property
    def most(self) -> float:
        """Time limit of a launch in seconds, compilation included."""
        return self.seconds + (MARGIN if self.native is None else COMPILING)


def injections_on(device: Device, launch: Launch) -> Run:
    """Return a function that runs injections on `device`, one launch per call."""

    def injections(wanted: Sequence[Injection]) -> list[Ending]:
        programs, which = _programs(wanted)
        return _endings(device, wanted, programs, which, launch, Phase())

    return injections


def compiled_injections(compiler: TestCompiler, launch: Launch) -> Run:
    """Return a function that runs injections as native code.

    Sources that do not compile are interpreted.
    """

    def injections(wanted: Sequence[Injection]) -> list[Ending]:
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

    return injections


def _programs(wanted: Sequence[Injection]) -> tuple[list[Program], list[int]]:
    """Return the distinct programs, and the number of each injection's program."""
    numbers: dict[tuple[str, bytes], int] = {}
    which = [numbers.setdefault((t.name, t.source), len(numbers)) for t in wanted]
    return [Program(source, name) for name, source in numbers], which


def _endings(
    device: Device,
    wanted: Sequence[Injection],
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
    """Return the result of a injection that killed its process."""
    status = "GPUSNEK_STOPPED" if died.status is ScriptStatus.TIMEOUT else "process died"
    return Ending(status, note=died.note)


class InjectionLaunches(Protocol):
    """An interface for running one launch after the other; `Isolated`, or a fake in tests."""

    def run(self, programs: Sequence[Injection]) -> list[Ending]:
        """Run one launch."""
        ...

    def close(self) -> None:
        """End the process; a later launch starts a new one."""
        ...


@attrs.frozen
class InjectionRunner:
    """A runner for any number of injections, ``chunk`` per launch.

    Injections that the deadline stopped run once more, ``parallel`` at a time, so that none of them
    waits for a thread.
    """

    launches: InjectionLaunches
    chunk: int
    parallel: int = 1

    @staticmethod
    def open(opener: InjectionOpener, chunk: int, parallel: int = 1) -> InjectionRunner:
        """Open a runner on a build."""
        return InjectionRunner(Isolated(opener, opener.most, lost), chunk, parallel)

    def run(
        self, injections: Sequence[Injection], done: Callable[[int], None] = lambda count: None
    ) -> list[Ending]:
        """Run injections and return the results in their order.

        Args:
            injections: Injections to run.
            done: Called with the number of injections of each finished launch.
        """
        endings: list[Ending] = []
        for start in range(0, len(injections), self.chunk):
            part = injections[start : start + self.chunk]
            endings += self.launches.run(part)
            done(len(part))
        late = [i for i, ending in enumerate(endings) if ending.status == "GPUSNEK_STOPPED"]
        for start in range(0, len(late), self.parallel):
            again = late[start : start + self.parallel]
            answers = self.launches.run([injections[i] for i in again])
            for i, ending in zip(again, answers, strict=True):
                endings[i] = ending
        return endings

    def close(self) -> None:
        """End the process."""
        self.launches.close()
