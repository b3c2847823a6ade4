"""A call of an array: its launch in progress, and its outcome once that has been collected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from attrs import define, field

from porter.array.exceptions import collect
from porter.array.outcome import Outcome
from porter.base.process_bound import OfOneProcess, ProcessLock
from porter.native import Brought
from porter.run import Result
from porter.run.launch.running import RunningLaunch
from porter.run.result import refuse_broken

T = TypeVar("T")
Finish = Callable[[Outcome, Result], T]


@define(eq=False)
class Call(OfOneProcess, Generic[T]):
    """A call in progress: the result of `wait=False`.

    Invariant: the outcome is collected exactly once, and before the array's next launch, which
    would overwrite values that interpreters announced. `finish` computes the call's value from the
    outcome and the launch's result.
    """

    _launch: RunningLaunch
    _finish: Finish[T]
    _lock: ProcessLock
    _exits: bool  # a SystemExit of any code counts as an exception
    _brought: Brought
    _interrupts: int = field(default=0, init=False)
    _outcome: Outcome | None = field(default=None, init=False)
    _value: T | None = field(default=None, init=False)
    _error: Exception | None = field(default=None, init=False)

    def done(self) -> bool:
        """Return whether all interpreters have ended."""
        self.check_process()
        return self._launch.done()

    def result(self) -> T:
        """Wait, and return or raise as the call without `wait=False` does."""
        self.settle()
        if self._error is not None:
            raise self._error
        return self._value  # type: ignore[return-value]

    def interrupt(self) -> None:
        """Raise KeyboardInterrupt in every interpreter of this launch; callable from any thread."""
        self.check_process()
        # An interpreter that reads 2 stops hard. Any other new value makes it raise (interp.h).
        self._interrupts += 1
        self._launch.interrupt(1 if self._interrupts == 1 else self._interrupts + 1)

    @property
    def outcome(self) -> Outcome | None:
        """The outcome; None until it has been collected."""
        return self._outcome

    def settle(self) -> Outcome:
        """Wait for the launch and collect its outcome. Raises LaunchFailed."""
        with self._lock:
            if self._outcome is None:
                result = self._launch.wait()
                refuse_broken(result)
                exceptions = collect(result, self._exits)
                outcome = Outcome.of(result, exceptions, self._brought.report())
                try:
                    if result.refused is not None:
                        raise result.refused
                    self._value = self._finish(outcome, result)
                except Exception as error:
                    self._error = error
                self._outcome = outcome
            return self._outcome
