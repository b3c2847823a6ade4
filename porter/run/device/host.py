"""The host twin device: load `libgpusnek.so` through ctypes and run launches on CPU threads."""

from __future__ import annotations

import ctypes
import os
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np

from porter.base.process_bound import OfOneProcess, forked
from porter.errors import LaunchFailed, NotEnoughMemory, UsageError
from porter.run.built import Built
from porter.run.device.arrays import HostArrays
from porter.run.device.base import (
    BLOCK,
    ArenaMemory,
    Arenas,
    Chunks,
    Interrupt,
    Record,
    RunningKernels,
    Shared,
    SnapshotCopy,
)
from porter.run.device.linked_code import LinkedCode
from porter.run.device.policies import PolicyCache
from porter.run.device.template_cache import Templates
from porter.run.footprint import Figures, MemoryBudget

PAGE = 4096
FRESH = 0.05  # seconds for which a report of available memory is used
LIBRARY = "libgpusnek.so"
READ_BY_LIBRARY = ("libgpusnek.places",)  # where bounds checks are, in a build that has them


@attrs.frozen
class HostInterrupt:
    """An interrupt word in ordinary memory."""

    word: np.ndarray[Any, Any]

    @property
    def address(self) -> int:
        """The word's address."""
        return int(self.word.ctypes.data)

    def write(self, value: int) -> None:
        """Set the word."""
        self.word[0] = value


class HostRunning:
    """A launch of the host twin in progress, on its own threads."""

    refused = None

    def __init__(self, library: ctypes.CDLL, record: Record, threads: int) -> None:
        self._record = record  # the library reads it until the launch ends
        self._forked = False
        _running.add(self)
        self._status = 0
        self._seconds = 0.0
        self._ended = threading.Event()
        threading.Thread(target=self._run, args=(library, threads), daemon=True).start()

    def _run(self, library: ctypes.CDLL, threads: int) -> None:
        try:
            start = time.perf_counter()
            self._status = library.gpusnek_launch(self._record.ctypes.data, threads)
            self._seconds = time.perf_counter() - start
        finally:
            self._ended.set()

    def wait(self, seconds: float | None) -> bool:
        """Wait at most `seconds`; return whether the launch has ended. Raises LaunchFailed."""
        # Thread.join is unsuitable: before Python 3.13, a join that Ctrl-C interrupts marks the
        # thread as ended. The arrays would then be freed while interpreters still write to them.
        if self._forked:
            raise forked("launch")
        if not self._ended.wait(seconds):
            return False
        if self._status != 0:
            raise LaunchFailed(
                "the host twin refused the launch record: it is of another build",
                hint="Build again, with `porter build --target host`.",
            )
        return True

    def orphan(self) -> None:
        """Mark the launch as lost in a forked child process: it runs in the parent only."""
        if not self._ended.is_set():
            self._forked = True

    @property
    def seconds(self) -> float:
        """Seconds from the first thread's start to the last thread's end."""
        return self._seconds


# Launches to orphan in a forked child process, which has no threads of its parent.
_running: weakref.WeakSet[HostRunning] = weakref.WeakSet()


def _in_child() -> None:
    for running in list(_running):
        running.orphan()


os.register_at_fork(after_in_child=_in_child)


def _hint(error: OSError) -> str | None:
    if "static TLS" not in str(error):
        return None
    return (
        "The libraries and builds of this process fill the static TLS block of glibc. Start "
        "Python with GLIBC_TUNABLES=glibc.rtld.optional_static_tls=16384, or open the device "
        "before you import other libraries. A build takes about 112 bytes."
    )


class HostTwin(OfOneProcess, HostArrays):
    """The host twin: interpreters on the CPU; arrays are numpy's."""

    name = "host"
    block = BLOCK
    most_block = 1024  # as on CUDA
    local = False
    warp = 1
    scratch = True  # each thread of the library has an arena that its interpreters use in turn
    linked: LinkedCode | None = None  # native code of programs is loaded as separate libraries
    native_refusal = ""

    def __init__(self, built: Built, *, variant: str = "host", threads: int | None = None) -> None:
        self.built, self.variant = built, variant
        path = built.file(variant, LIBRARY)
        built.check(variant, READ_BY_LIBRARY)
        try:
            self._library = ctypes.CDLL(str(path))
        except OSError as error:
            raise LaunchFailed(f"{path} does not load: {error}", hint=_hint(error)) from error
        # Detects a file that was replaced during loading.
        built.check(variant, (LIBRARY, *READ_BY_LIBRARY))
        self.cores = threads or os.cpu_count() or 1
        self.figures = Figures.of(built.whole.targets[variant].info)
        self.templates = Templates()
        self.policies: PolicyCache | None = None
        self._available = (-FRESH, 0)  # time.monotonic() of the last report, and its bytes
        self._closing: list[Callable[[], object]] = []
        size, pointer, number = ctypes.c_uint64, ctypes.c_void_p, ctypes.c_int
        for name, result, arguments in (
            ("gpusnek_launch", number, (pointer, number)),
            ("gpusnek_arena_new", pointer, (size, size)),
            ("gpusnek_arena_free", None, (pointer, size, size)),
        ):
            function = getattr(self._library, name)
            function.restype, function.argtypes = result, arguments

    @property
    def compiler(self) -> HostTwin:
        """Itself."""
        return self

    def arenas(self, n: int, pystack: int, heap: int) -> Arenas:
        """Allocate `n` arenas in one block. They never move, because they contain pointers."""
        stride = self.figures.arena(pystack, heap)
        base = self._library.gpusnek_arena_new(n, stride)
        if not base:
            raise NotEnoughMemory(f"no memory for {n} arenas of {stride} bytes")
        owner = _Block()
        freed = weakref.finalize(owner, self._library.gpusnek_arena_free, base, n, stride)
        freed.atexit = False  # a launch that does not stop may still use the arenas
        memory = ArenaMemory({"arenas": base, "arena_stride": stride}, owner)
        return Arenas(n, {"pystack": pystack, "heap": heap}, memory)

    def single(self, arenas: Arenas, index: int) -> SnapshotCopy:
        """Raise UsageError: pointers in one arena are invalid in another."""
        raise UsageError(
            "interpreters of this target cannot be copied: each has addresses of its own",
            hint="Run the same source in all of them instead.",
        )

    def trim(self, arenas: Arenas) -> int:
        """Do nothing, because untouched pages of an arena take no memory. Returns 0."""
        return 0

    def grow(
        self, arenas: Arenas, threads: int, block: int, spare: int | None, *, whole: bool
    ) -> Chunks | None:
        """Do nothing, because arenas have their full size."""
        return None

    def interrupt(self, value: int) -> Interrupt:
        """Create an interrupt word in ordinary memory."""
        return HostInterrupt(np.array([value], np.uint32))

    def shared(self, size: int) -> Shared:
        """Allocate page-aligned ordinary memory."""
        memory = np.zeros(size + PAGE, np.uint8)
        view = memory[-memory.ctypes.data % PAGE :][:size]
        return Shared(view, view.ctypes.data, memory)

    def print_room(self, size: int) -> None:
        """Do nothing, because the C library's stdout has no size limit."""

    def memory_budget(self, local: int) -> MemoryBudget:
        """Return the available memory that the kernel reports; unlimited where it reports none.

        A report is used for FRESH seconds, because reading it takes as long as a small launch.
        """
        now = time.monotonic()
        read, available = self._available
        if now - read > FRESH:
            available = _available_memory()
            self._available = (now, available)
        return MemoryBudget(available, 0)

    def launch(
        self, record: Record, threads: int, chunks: Chunks | None = None, *, urgent: bool = False
    ) -> RunningKernels:
        """Start the launch on at most as many threads as the machine has cores."""
        return HostRunning(self._library, record, self.cores)

    def on_close(self, action: Callable[[], object]) -> None:
        """Call `action` when the device is closed."""
        self._closing.append(action)

    def close(self) -> None:
        """End what `on_close` registered. Arrays own all memory."""
        for action in self._closing:
            action()


def _available_memory() -> int:
    """Return the available bytes that the kernel reports; 2**63 if it reports none."""
    try:
        with open("/proc/meminfo") as file:
            fields = dict(line.split(":", 1) for line in file)
        return int(fields["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError):
        return 2**63


class _Block:
    """The owner of a block of arenas; its finalizer frees their memory."""
