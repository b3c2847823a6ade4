"""Launches of one array, one at a time: what stands between its methods and porter.run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import attrs
import numpy as np

from porter.array.bindings import Bindings
from porter.array.outcome import Handle, Outcome
from porter.array.pending import Pending, refuse_broken
from porter.errors import ArrayClosed, FileProblem, LaunchFailed, NotEnoughMemory, UsageError
from porter.run import Device, Launch, Program, Result
from porter.run.session import Fetch, run, start

T = TypeVar("T")
Finish = Callable[[Outcome, Result], T]


class Runner:
    """`n` interpreters that `launch` (with arenas) describes. `lock`: held for each call."""

    def __init__(self, device: Device, n: int, launch: Launch) -> None:
        self.device, self.n, self.launch = device, n, launch
        self.lock = threading.RLock()
        self.closed = False
        self.bindings = Bindings(device, n)
        self._kept: set[object] = set()
        self._pending: Pending[Any] | None = None
        self._outcome: Outcome | None = None
        self._boot()

    def _boot(self) -> None:
        """Start every interpreter, so that what cannot work shows here."""
        result = run(self.device, [], self.n, attrs.evolve(self.launch, execute=False))
        values = self.device.built.constants
        if small := result.count(values["GPUSNEK_NO_MEMORY"]):
            raise NotEnoughMemory(
                f"{small} of {self.n} interpreters cannot start: the heap is too small",
                hint="Make heap larger.",
            )
        if bad := result.count(values["GPUSNEK_NO_FILE_SYSTEM"]):
            raise FileProblem(f"{bad} of {self.n} interpreters cannot mount their file system")
        refuse_broken(self.device, result)

    def check_open(self) -> None:
        """Raise ArrayClosed; and collect what a running launch leaves. With the lock."""
        if self.closed:
            raise ArrayClosed("this array of interpreters is closed")
        self.settle()

    def settle(self) -> None:
        """Collect what the running launch leaves, before the next can overwrite it."""
        with self.lock:
            if self._pending is not None:
                self._outcome = self._pending.settle()
                self._pending = None

    def go(
        self,
        programs: Sequence[Program],
        program_of: np.ndarray[Any, Any] | None,
        finish: Finish[T],
        wait: bool,
        exits: bool = False,
        **changes: Any,
    ) -> T | Handle[T]:
        """Launch, with `changes` to the launch; what `finish` makes of it, or a handle.

        exits: a SystemExit counts as an exception whatever its code.
        """
        with self.lock:
            self.check_open()
            bound = self.bindings.changes()
            launch = attrs.evolve(self.launch, values=True, bindings=bound, **changes)
            started = start(self.device, programs, self.n, launch, program_of=program_of)
            self.bindings.made(bound)
            pending = Pending(self.device, started, self.fetch, finish, self.lock, exits)
            self._pending = pending
            if wait:
                self.settle()
                return pending.value()
        return Handle(pending.value, started.done, pending.interrupt)

    def keep(self, owner: object) -> None:
        """Let `owner` live as long as the interpreters: they execute code that it holds."""
        with self.lock:
            self._kept.add(owner)

    def apply_bindings(self) -> None:
        """Make the changes that wait for the next launch now."""
        with self.lock:
            self.check_open()
            bound = self.bindings.changes()
            launch = attrs.evolve(self.launch, execute=False, bindings=bound, stdout=0)
            refuse_broken(self.device, run(self.device, [], self.n, launch))
            self.bindings.made(bound)

    def trim(self) -> int:
        """Give memory back that no interpreter uses; returns its bytes."""
        with self.lock:
            self.check_open()
            arenas = self.launch.persist
            assert arenas is not None  # an open array's interpreters persist
            return self.device.trim(arenas)

    def fetch(self, fetch: Fetch) -> None:
        """Let interpreters copy what they announced."""
        launch = attrs.evolve(self.launch, execute=False, fetch=fetch, stdout=0, stderr=0)
        refuse_broken(self.device, run(self.device, [], self.n, launch))

    def interrupt(self) -> bool:
        """Interrupt the running launch, if there is one. Takes no lock."""
        pending = self._pending
        if pending is None or pending.outcome is not None:
            return False
        pending.interrupt()
        return True

    def outcome(self) -> Outcome:
        """Of the last launch, which is waited for. Raises UsageError if there was none."""
        self.settle()
        if self._outcome is None:
            raise UsageError("nothing has run in this array yet")
        return self._outcome

    def close(self) -> bool:
        """Stop the interpreters and let their memory go; whether they were not closed yet."""
        with self.lock:
            if self.closed:
                return False
            try:
                self.settle()
                run(self.device, [], self.n, attrs.evolve(self.launch, execute=False, stop=True))
            except LaunchFailed:
                pass  # what broke was said already
            finally:
                self.closed = True
                self._pending = None
                self._kept.clear()
                self.bindings.clear()
                self.launch = attrs.evolve(self.launch, persist=None, fs=None)
            return True
