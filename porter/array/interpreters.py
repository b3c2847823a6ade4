"""Persistent interpreters, and their launches, of which one runs at a time."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

import attrs
import numpy as np

from porter.array import html
from porter.array.bindings import Bindings
from porter.array.call import Call, Finish
from porter.array.exceptions import Exceptions
from porter.array.outcome import Outcome
from porter.base import markup
from porter.base.process_bound import OfOneProcess, ProcessLock
from porter.base.sizes import format_size
from porter.errors import ArrayClosed, LaunchFailed, UsageError
from porter.native import Natives
from porter.run import Device, Launch, Program, Stream, run
from porter.run.device.base import Arenas
from porter.run.launch.limits import END_SECONDS
from porter.run.launch.options import Fetch, Phase
from porter.run.launch.plan import footprint
from porter.run.result import refuse_broken
from porter.run.start import start

T = TypeVar("T")


class Interpreters(OfOneProcess):
    """`n` persistent interpreters on `device`, booted by the constructor.

    Args:
        device: The device.
        n: Number of interpreters.
        launch: The options of all launches: sizes, block, seed, file system.

    Raises:
        NotEnoughMemory: The interpreters do not fit, or their heap is too small to boot.
        FileProblem: The file system cannot be mounted.
        LaunchFailed: The device failed.
    """

    def __init__(self, device: Device, n: int, launch: Launch) -> None:
        self.device, self.n = device, n
        self._launch = launch = self._equipped(launch)
        need = footprint(device, launch)
        self._arenas: Arenas | None = device.arenas(n, need.pystack, need.heap)
        self._lock = ProcessLock()  # held during each call
        self._closed = False
        self._bindings = Bindings(device, n)
        self._kept: set[object] = set()
        self._natives = Natives(device, n)
        self._call: Call[Any] | None = None  # the call in progress
        self._outcome: Outcome | None = None
        # Boot every interpreter now, so that the constructor reports failures.
        result = run(device, [], n, launch, self._phase(execute=False))
        result.raise_unless_started("heap")
        refuse_broken(result)

    def _equipped(self, launch: Launch) -> Launch:
        """Hook for subclasses: add options to all launches before the interpreters boot."""
        return launch

    def interrupt(self) -> bool:
        """Raise KeyboardInterrupt in every interpreter that runs now; callable from any thread.

        Returns:
            Whether there was a launch to interrupt.
        """
        self.check_process()
        call = self._call  # without the lock: wait() holds it for the whole launch
        if call is None or call.outcome is not None:
            return False
        call.interrupt()
        return True

    def wait(self) -> None:
        """Wait for a launch in progress. Raises LaunchFailed."""
        with self._lock:
            if self._call is not None:
                self._outcome = self._call.settle()
                self._call = None

    def trim(self) -> int:
        """Release device memory that the interpreters do not need now. Returns the bytes released.

        On a GPU an idle interpreter is stored as the pages that differ from its base snapshot.
        Memory reserved for the snapshots of the next call is released. If all interpreters booted
        by themselves, the first one becomes the base snapshot of all. The next call allocates
        memory again. If that fails, it raises NotEnoughMemory and the interpreters are unchanged.
        The memory goes to CuPy's pool (`cupy.get_default_memory_pool().free_all_blocks()` releases
        it for other libraries).
        """
        with self._lock:
            return self.device.trim(self._open_arenas())

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._closed

    def close(self) -> None:
        """Stop the interpreters (atexit, finalizers) and free their memory; idempotent.

        A launch in progress is waited for. Exit functions and finalizers that still run after
        END_SECONDS get a KeyboardInterrupt, and are stopped if they catch it. In a forked child
        process the interpreters are only dropped.
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
                pass  # the failure was reported already
            finally:
                self._closed = True
                self._call = self._arenas = None
                self._kept.clear()
                self._natives.clear()
                self._bindings.clear()
                self._launch = attrs.evolve(self._launch, fs=None)

    @property
    def outcome(self) -> Outcome:
        """The outcome of the last exec or eval; waits for it. Raises UsageError without one."""
        self.wait()
        if self._outcome is None:
            raise UsageError("nothing has run in this array yet")
        return self._outcome

    @property
    def stdout(self) -> Stream:
        """The last outcome's stdout: `stdout[i]` of interpreter i, `stdout.groups` merged."""
        return self.outcome.stdout

    @property
    def stderr(self) -> Stream:
        """The last outcome's stderr, likewise; tracebacks go to it."""
        return self.outcome.stderr

    @property
    def exceptions(self) -> Exceptions:
        """The last outcome's distinct exceptions, the most frequent first."""
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
        """Return facts for display, each with its label, without running anything."""
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
        title = f"{html.many(self.n)} on {self.device.name}"
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
        """Raise ArrayClosed if closed, and collect a running launch. The caller holds the lock."""
        if self._closed:
            raise ArrayClosed("this array of interpreters is closed")
        self.wait()  # the next launch would overwrite the outcome

    def _open_arenas(self) -> Arenas:
        self._check_open()
        assert self._arenas is not None  # open interpreters have arenas
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
        """Start a launch.

        Args:
            programs: Programs for the launch.
            program_of: Each interpreter's program; None: all run the first.
            finish: Computes the call's value from the outcome.
            exits: A SystemExit of any code counts as an exception.
            compiling: As in Phase.
            compiled: As in Phase.
            options: Options of Launch.
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
        """Keep `owner` alive as long as the interpreters, which execute code that it owns."""
        with self._lock:
            self._kept.add(owner)

    def _keep_together(self, why: str) -> None:
        """Keep the caller's order of interpreters in all later launches."""
        with self._lock:
            self._open_arenas().together = why

    def _apply_bindings(self) -> None:
        """Apply the queued changes of globals now, by a launch."""
        with self._lock:
            self._check_open()
            bound = self._bindings.changes()
            launch = attrs.evolve(self._launch, stdout=0)
            phase = self._phase(execute=False, bindings=bound)
            refuse_broken(run(self.device, [], self.n, launch, phase))
            self._bindings.made(bound)

    def _fetch(self, fetch: Fetch) -> None:
        """Run a launch in which interpreters copy the values that they announced."""
        launch = attrs.evolve(self._launch, stdout=0, stderr=0)
        phase = self._phase(execute=False, fetch=fetch)
        refuse_broken(run(self.device, [], self.n, launch, phase))
