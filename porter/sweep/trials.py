"""Runs trials in launches of many interpreters, in a child process that may die."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import attrs
import numpy as np

from porter.conformance.backends.isolate import Died, Isolated
from porter.conformance.model import ScriptStatus
from porter.run import Device, Launch, Program, open_device, run
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

    rest: the failing allocation and all later ones fail.
    """

    folder: Path
    target: str
    seconds: float
    sizes: TrialSizes = TrialSizes()
    rest: bool = False

    def __call__(self) -> Run:
        """What runs trials; raises what opening the device raises."""
        launch = Launch(**attrs.asdict(self.sizes), fail_rest=self.rest, timeout=self.seconds)
        return trials_on(open_device(self.folder, self.target), launch)


def trials_on(device: Device, launch: Launch) -> Run:
    """What runs trials on `device`, as `launch` says, each call one launch."""
    name_of = device.built.status.name_of

    def trials(wanted: Sequence[Trial]) -> list[Ending]:
        numbers: dict[tuple[str, bytes], int] = {}
        which = [numbers.setdefault((t.name, t.source), len(numbers)) for t in wanted]
        programs = [Program(source, name) for name, source in numbers]
        done = run(
            device,
            programs,
            len(wanted),
            attrs.evolve(launch, fail_allocation=[t.fail for t in wanted]),
            program_of=np.array(which, np.uint32),
        )
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

    return trials


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
        return TrialRunner(Isolated(opener, opener.seconds + MARGIN, lost), chunk, parallel)

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
