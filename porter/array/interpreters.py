"""Interpreters that stay: their launches, one at a time."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

import attrs
import numpy as np

from porter.array import shown
from porter.array.bindings import Bindings
from porter.array.call import Call, Finish, refuse_broken
from porter.array.exceptions import Exceptions
from porter.array.outcome import Outcome
from porter.base import markup
from porter.base.one_process import OfOneProcess, ProcessLock
from porter.base.sizes import format_size
from porter.errors import ArrayClosed, LaunchFailed, UsageError
from porter.native import Natives
from porter.run import Device, Launch, Program, Stream, run
from porter.run.device.base import Arenas
from porter.run.launch.limits import END_SECONDS
from porter.run.launch.plan import footprint
from porter.run.launch.spec import Fetch, Phase
from porter.run.launch.start import start

T = TypeVar("T")


class Interpreters(OfOneProcess):
    """`n` interpreters on `device`, started at once, that go on from launch to launch.

    launch: what all their launches have: sizes, block, seed, file system. Raises NotEnoughMemory,
    FileProblem, LaunchFailed.
    """

    def __init__(self, device: Device, n: int, launch: Launch) -> None:
        self.device, self.n = device, n
        self._launch = launch = self._equipped(launch)
        need = footprint(device, launch)
        self._arenas: Arenas | None = device.arenas(n, need.pystack, need.heap)
        self._lock = ProcessLock()  # held for each call
        self._closed = False
        self._bindings = Bindings(device, n)
        self._kept: set[object] = set()
        self._natives = Natives(device, n)
        self._call: Call[Any] | None = None  # the one under way
        self._outcome: Outcome | None = None
        # Every interpreter boots, so that what cannot work shows here.
        result = run(device, [], n, launch, self._phase(execute=False))
        result.raise_unless_started("heap")
        refuse_broken(result)

    def _equipped(self, launch: Launch) -> Launch:
        """`launch` with what a subclass gives all launches, before the interpreters boot."""
        return launch

    def interrupt(self) -> bool:
        """Raise KeyboardInterrupt in every interpreter that runs now; from any thread.

        Returns whether there was a launch to interrupt.
        """
        self.check_process()
        call = self._call  # without the lock, which whoever waits holds
        if call is None or call.outcome is not None:
            return False
        call.interrupt()
        return True

    def wait(self) -> None:
        """Wait for a launch that is under way. Raises LaunchFailed."""
        with self._lock:
            if self._call is not None:
                self._outcome = self._call.settle()
                self._call = None

    def trim(self) -> int:
        """Give memory back that the interpreters do not use now; returns its bytes.

        On a GPU interpreters at rest are what differs from what they began as copies of; beside
        that there is room for what the next call may leave, which this gives back. Where all booted
        by themselves, they are what differs from the first of them from then on. The next call
        takes memory again; it raises NotEnoughMemory where there is none by then, and they stay as
        they are. The memory goes to CuPy's pool (`cupy.get_default_memory_pool().free_all_blocks()`
        for other libraries).
        """
        with self._lock:
            return self.device.trim(self._open_arenas())

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._closed

    def close(self) -> None:
        """Stop the interpreters (atexit, finalisers) and give their memory back. May be repeated.

        A launch under way is waited for. Exit functions and finalisers that still run after
        END_SECONDS get a KeyboardInterrupt, and are stopped if they catch it. In a fork of the
        process that made them, they are forgotten.
        """
        if self.forked:
            self._closed = True
            return
        with self._lock:
            if self._closed:
                return
            try:
                self.wait()
                phase = self._phase(execute=False, stop=True)
                launch = attrs.evolve(self._launch, timeout=END_SECONDS)
                run(self.device, [], self.n, launch, phase)
            except LaunchFailed:
                pass  # what broke was said already
            finally:
                self._closed = True
                self._call = self._arenas = None
                self._kept.clear()
                self._natives.clear()
                self._bindings.clear()
                self._launch = attrs.evolve(self._launch, fs=None)

    @property
    def outcome(self) -> Outcome:
        """What the last exec or eval left, which is waited for. UsageError if there was none."""
        self.wait()
        if self._outcome is None:
            raise UsageError("nothing has run in this array yet")
        return self._outcome

    @property
    def stdout(self) -> Stream:
        """What it printed: `stdout[i]` by one interpreter, `stdout.groups` merged."""
        return self.outcome.stdout

    @property
    def stderr(self) -> Stream:
        """As stdout, of stderr, where tracebacks go too."""
        return self.outcome.stderr

    @property
    def exceptions(self) -> Exceptions:
        """Its different exceptions, the most frequent first."""
        return self.outcome.exceptions

    @property
    def failed(self) -> np.ndarray[Any, Any]:
        """Which interpreters an exception ended (n bools, numpy)."""
        return self.outcome.failed

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        state = "closed" if self.closed else self.device.name
        return f"<{type(self).__name__} of {self.n}, {state}>"

    def facts(self) -> list[tuple[str, str]]:
        """What people want to know of them, each with its name; nothing runs for it."""
        call = self._call
        if self._closed:
            return [("state", "closed")]
        busy = call is not None and call.outcome is None and not call.done()
        need = footprint(self.device, self._launch)
        each = need.resting + need.streams
        least = need.resting_least + need.streams
        if least < each:
            memory = f"{format_size(least)} to {format_size(each)} each"
        else:
            memory = f"{format_size(each)} each, {format_size(each * self.n)} in all"
        return [
            ("state", "running" if busy else "ready"),
            ("heap", format_size(need.heap)),
            ("memory", memory),
            *self._bindings.bound.items(),
        ]

    def _repr_html_(self) -> str:
        title = f"{shown.many(self.n)} on {self.device.name}"
        return markup.panel(title, markup.table(self.facts()))

    def __enter__(self) -> Self:
        with self._lock:
            self._check_open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _check_open(self) -> None:
        """Raise ArrayClosed; and collect what a running launch leaves. With the lock."""
        if self._closed:
            raise ArrayClosed("this array of interpreters is closed")
        self.wait()  # before the next launch can overwrite what it left

    def _open_arenas(self) -> Arenas:
        self._check_open()
        assert self._arenas is not None  # interpreters that are not closed have some
        return self._arenas

    def _phase(self, **options: Any) -> Phase:
        own = {"arenas": self._arenas, "natives": self._natives.bring().natives}
        return Phase(**{"stop": False, **own, **options})

    def _go(
        self,
        programs: Sequence[Program],
        program_of: np.ndarray[Any, Any] | None,
        finish: Finish[T],
        *,
        exits: bool = False,
        compiling: bool = False,
        compiled: Any = None,
        **options: Any,
    ) -> Call[T]:
        """Launch with these `options` of Launch. finish: makes the call's value of what it left.

        exits: a SystemExit counts as an exception whatever its code. compiling, compiled: as
        Phase has them.
        """
        with self._lock:
            self._check_open()
            bound = self._bindings.changes()
            launch = attrs.evolve(self._launch, **options)
            brought = self._natives.bring()
            phase = self._phase(
                values=True,
                records=True,
                bindings=bound,
                compiling=compiling,
                compiled=compiled,
                natives=brought.natives,
            )
            started = start(self.device, programs, self.n, launch, phase, program_of=program_of)
            self._bindings.made(bound)
            call = Call(started, finish, self._lock, exits, brought)
            self._call = call
            return call

    def _keep(self, owner: object) -> None:
        """Let `owner` live as long as the interpreters: they execute code that it holds."""
        with self._lock:
            self._kept.add(owner)

    def _keep_together(self, why: str) -> None:
        """Launches have the caller's order from now on."""
        with self._lock:
            self._open_arenas().together = why

    def _apply_bindings(self) -> None:
        """Make the changes that wait for the next launch now."""
        with self._lock:
            self._check_open()
            bound = self._bindings.changes()
            launch = attrs.evolve(self._launch, stdout=0)
            phase = self._phase(execute=False, bindings=bound)
            refuse_broken(run(self.device, [], self.n, launch, phase))
            self._bindings.made(bound)

    def _fetch(self, fetch: Fetch) -> None:
        """Let interpreters copy what they announced."""
        launch = attrs.evolve(self._launch, stdout=0, stderr=0)
        phase = self._phase(execute=False, fetch=fetch)
        refuse_broken(run(self.device, [], self.n, launch, phase))
