"""The host twin: `libgpusnek.so` through ctypes."""

from __future__ import annotations

import ctypes
import os
import threading
import time
import weakref
from typing import Any

import attrs
import numpy as np

from porter.base.one_process import OfOneProcess, forked
from porter.errors import LaunchFailed, NotEnoughMemory, UsageError
from porter.run.built import Built
from porter.run.device.base import BLOCK, Arenas, Chunks, Interrupt, Record, Running, Shared
from porter.run.device.host_arrays import HostArrays
from porter.run.device.linking import LinkedCode
from porter.run.device.templates import Templates
from porter.run.footprint import Figures, Room

PAGE = 4096
LIBRARY = "libgpusnek.so"
READ_BY_LIBRARY = ("libgpusnek.places",)  # of a build with bounds checks: where they are


@attrs.frozen
class HostInterrupt:
    """A word in ordinary memory."""

    word: np.ndarray[Any, Any]

    @property
    def address(self) -> int:
        """Where interpreters read it."""
        return int(self.word.ctypes.data)

    def write(self, value: int) -> None:
        """Set it."""
        self.word[0] = value


class HostRunning:
    """A launch of the host twin, on threads of its own."""

    refused = None

    def __init__(self, library: ctypes.CDLL, record: Record, threads: int) -> None:
        self._record = record  # read until the launch ends
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
        """Whether it has ended, after at most `seconds`."""
        # Not join(): before Python 3.13 a thread counts as ended once Ctrl-C interrupts its join,
        # and the arrays would go while interpreters still write to them.
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
        """In a child process: the launch goes on in the parent alone."""
        if not self._ended.is_set():
            self._forked = True

    @property
    def seconds(self) -> float:
        """From the first thread's start to the last one's end."""
        return self._seconds


# For a child process, in which the threads of its parent are not.
_running: weakref.WeakSet[HostRunning] = weakref.WeakSet()


def _in_child() -> None:
    for running in list(_running):
        running.orphan()


os.register_at_fork(after_in_child=_in_child)


def _hint(error: OSError) -> str | None:
    if "static TLS" not in str(error):
        return None
    return (
        "Libraries that this process has loaded took the room that glibc keeps for such variables: "
        "open porter's device before you import them, or start Python with "
        "GLIBC_TUNABLES=glibc.rtld.optional_static_tls=4096."
    )


class HostTwin(OfOneProcess, HostArrays):
    """Interpreters on this machine's processor; arrays are numpy's."""

    name = "host"
    block = BLOCK
    most_block = 1024  # CUDA's
    local = False
    warp = 1
    scratch = True  # a thread of the library has an arena that its interpreters use in turn
    linked: LinkedCode | None = None  # machine code of programs is loaded beside the library

    def __init__(self, built: Built, *, variant: str = "host", threads: int | None = None) -> None:
        self.built, self.variant = built, variant
        path = built.file(variant, LIBRARY)
        built.check(variant, READ_BY_LIBRARY)
        try:
            self._library = ctypes.CDLL(str(path))
        except OSError as error:
            raise LaunchFailed(f"{path} does not load: {error}", hint=_hint(error)) from error
        # A file that was replaced while it was loaded.
        built.check(variant, (LIBRARY, *READ_BY_LIBRARY))
        self._threads = threads or os.cpu_count() or 1
        self.figures = Figures.of(built.whole.targets[variant].info)
        self.templates = Templates()
        size, pointer, number = ctypes.c_uint64, ctypes.c_void_p, ctypes.c_int
        for name, result, arguments in (
            ("gpusnek_launch", number, (pointer, number)),
            ("gpusnek_arena_new", pointer, (size, size)),
            ("gpusnek_arena_free", None, (pointer, size, size)),
        ):
            function = getattr(self._library, name)
            function.restype, function.argtypes = result, arguments

    def arenas(self, n: int, pystack: int, heap: int) -> Arenas:
        """`n` arenas in one block; they stay where they are, as pointers inside them do."""
        stride = self.figures.arena(pystack, heap)
        base = self._library.gpusnek_arena_new(n, stride)
        if not base:
            raise NotEnoughMemory(f"no memory for {n} arenas of {stride} bytes")
        owner = _Block()
        freed = weakref.finalize(owner, self._library.gpusnek_arena_free, base, n, stride)
        freed.atexit = False  # a launch that does not stop may still use them
        sizes = {"pystack": pystack, "heap": heap}
        return Arenas(n, {"arenas": base, "arena_stride": stride}, sizes, owner)

    def single(self, arenas: Arenas, index: int) -> Arenas:
        """UsageError: pointers in one arena do not hold in another."""
        raise UsageError(
            "interpreters of this target cannot be copied: each has addresses of its own",
            hint="Run the same source in all of them instead.",
        )

    def trim(self, arenas: Arenas) -> int:
        """Nothing: what an arena has not touched takes no memory."""
        return 0

    def grow(
        self, arenas: Arenas, threads: int, block: int, spare: int | None, *, whole: bool
    ) -> Chunks | None:
        """Nothing: arenas have their most."""
        return None

    def interrupt(self, value: int) -> Interrupt:
        """A word in ordinary memory."""
        return HostInterrupt(np.array([value], np.uint32))

    def shared(self, size: int) -> Shared:
        """Ordinary memory, from a page's start."""
        memory = np.zeros(size + PAGE, np.uint8)
        view = memory[-memory.ctypes.data % PAGE :][:size]
        return Shared(view, view.ctypes.data, memory)

    def print_room(self, size: int) -> None:
        """Nothing: the C library's stdout takes all."""

    def room(self, local: int) -> Room:
        """What the kernel says is available; unlimited where it does not say."""
        try:
            with open("/proc/meminfo") as file:
                fields = dict(line.split(":", 1) for line in file)
            return Room(int(fields["MemAvailable"].split()[0]) * 1024, 0)
        except (OSError, KeyError):
            return Room(2**63, 0)

    def launch(self, record: Record, threads: int, chunks: Chunks | None = None) -> Running:
        """Start on up to as many threads as there are cores."""
        return HostRunning(self._library, record, self._threads)

    def close(self) -> None:
        """Nothing to give back: memory goes with its arrays."""


class _Block:
    """Owns arenas: their memory is given back when this goes."""
