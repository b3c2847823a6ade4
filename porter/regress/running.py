"""Runs stages one after the other, keeps what each gave, and stops where one fails."""

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
    """What is known of the stage that runs: it says how it ended before it ends."""

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
        """Run a stage; a PorterError in it is kept, not raised. Ask `failed` afterwards."""
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
        """Whether the last stage failed."""
        return bool(self.stages) and self.stages[-1].state is StageState.FAILED

    def not_reached(self, *names: str, target: str = "") -> None:
        """Note stages that are left out because of a failure."""
        self.stages += [Stage(name, target, StageState.NOT_REACHED) for name in names]
