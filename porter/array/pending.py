"""One launch of an array, from its start until its outcome was collected."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from attrs import define, field

from porter.array.exceptions import collect
from porter.array.fetch import Fetcher
from porter.array.outcome import Outcome
from porter.errors import LaunchFailed
from porter.run import Device, Result
from porter.run.session import Started

T = TypeVar("T")


@define(eq=False)
class Pending(Generic[T]):
    """A started launch. `finish` makes the call's value of its outcome and its result.

    Outcome and value are made once, whoever asks first; before the array's next launch, which
    would overwrite what interpreters announced.
    """

    device: Device
    started: Started
    fetcher: Fetcher
    finish: Callable[[Outcome, Result], T]
    lock: threading.RLock
    exits: bool  # a SystemExit counts as an exception whatever its code
    interrupts: int = 0
    outcome: Outcome | None = None
    _value: T | None = None
    _error: Exception | None = field(default=None)

    def settle(self) -> Outcome:
        """Wait for the launch and collect its outcome. Raises LaunchFailed."""
        with self.lock:
            if self.outcome is None:
                result = self.started.wait()
                refuse_broken(self.device, result)
                outcome = Outcome.of(result, collect(self.device, result, self.fetcher, self.exits))
                try:
                    self._value = self.finish(outcome, result)
                except Exception as error:
                    self._error = error
                self.outcome = outcome
            return self.outcome

    def value(self) -> T:
        """What the call returns or raises."""
        self.settle()
        if self._error is not None:
            raise self._error
        return self._value  # type: ignore[return-value]

    def interrupt(self) -> None:
        """One KeyboardInterrupt in every interpreter. From any thread, without the lock."""
        # 2 stops hard; every other new value raises once (interp.h).
        self.interrupts += 1
        self.started.interrupt(1 if self.interrupts == 1 else self.interrupts + 1)


def refuse_broken(device: Device, result: Result) -> None:
    """LaunchFailed if interpreters are not fit to go on."""
    values = device.built.constants
    broken = (result.status < 0) | (result.status == values["GPUSNEK_NOT_STARTED"])
    if broken.any():
        first = int(broken.argmax())
        code = int(result.status[first])
        names = {v: k.lower() for k, v in values.items() if k.startswith("GPUSNEK_STATUS_")}
        raise LaunchFailed(
            f"{int(broken.sum())} interpreters broke; number {first}: "
            f"{names.get(code, f'status {code}').removeprefix('gpusnek_status_')}",
            hint="Close this array and make another.",
        )
