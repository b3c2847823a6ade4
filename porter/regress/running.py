"""Run the stages of a release in order, record their results, and note failures."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from attrs import define, field

from porter.errors import PorterError, UnknownConstruct
from porter.regress.model import Problem, Stage, StageState

Started = Callable[[str], None]


@define
class StageUnderWay:
    """The running stage; the code inside it sets the final state and the note."""

    state: StageState = StageState.OK
    note: str = ""


@define
class StageSequence:
    """The stages of one release so far."""

    started: Started = lambda name: None
    stages: list[Stage] = field(factory=list)
    errors: list[PorterError] = field(factory=list)

    @contextmanager
    def stage(self, name: str, target: str = "") -> Iterator[StageUnderWay]:
        """Run a stage; a PorterError in it is recorded, not raised. Check `failed` afterwards."""
        self.started(f"{name} {target}".strip())
        running = StageUnderWay()
        start = time.monotonic()
        problems: tuple[Problem, ...] = ()
        try:
            yield running
        except PorterError as error:
            found = [error, *(error.others if isinstance(error, UnknownConstruct) else ())]
            self.errors += found
            problems = tuple(Problem.of(one) for one in found)
            running.state = StageState.FAILED
        seconds = round(time.monotonic() - start, 2)
        self.stages.append(Stage(name, target, running.state, seconds, running.note, problems))

    @property
    def failed(self) -> bool:
        """Return whether the last stage failed."""
        return bool(self.stages) and self.stages[-1].state is StageState.FAILED

    def not_reached(self, *names: str, target: str = "") -> None:
        """Record stages that do not run because of a failure."""
        self.stages += [Stage(name, target, StageState.NOT_REACHED) for name in names]
