"""Record the basic blocks that interpreters execute, on the host twin's variant `traced`."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from attrs import field, frozen

from porter.errors import BenchFailed
from porter.run import Launch, Result
from porter.run.built import open_build
from porter.run.device.host import HostTwin
from porter.run.launch.options import Phase
from porter_dev.bench.measurement import EMPTY, Setting
from porter_dev.bench.oracle import check_ended

TARGET = "host-traced"
WARP = 32
WORDS = 6_000_000  # capacity per interpreter; a block, a call or a return takes one word
SIZES = Launch(heap=64 << 10, pystack=8 << 10, stack=32 << 10, stdout=4 << 10)


@frozen
class Recording:
    """The trace of each interpreter; templates/runtime/trace_host.cpp defines its words.

    Attributes:
        rows: Words, uint32, one row per interpreter.
        lengths: Number of words in each row.
        cut: Whether an interpreter's trace exceeds the row, or the interpreter did not end.
    """

    rows: np.ndarray = field(repr=False)
    lengths: np.ndarray
    cut: np.ndarray


@frozen
class Recorder:
    """A traced host twin and the options of its launches.

    Attributes:
        device: Traced host twin.
        library: Its shared library.
        words: Capacity of a trace, in words per interpreter.
        sizes: Memory sizes of the launch.
        steps: Instructions after which a program is stopped; None: no limit.
    """

    device: HostTwin
    library: ctypes.CDLL = field(repr=False)
    words: int = WORDS
    sizes: Launch = SIZES
    steps: int | None = None

    @classmethod
    def of(cls, build: Path, **given: Any) -> Recorder:
        """Open the build in the folder `build`. Raises BenchFailed without a traced host twin."""
        built = open_build(build)
        if TARGET not in built.manifest["targets"]:
            raise BenchFailed(
                f"{build}: no host twin that records",
                hint="porter build --target host --variant traced",
            )
        # With several threads, the trace would depend on the order in which interpreters run.
        device = HostTwin(built, variant=TARGET, threads=1)
        return cls(device, _library(built.file(TARGET, "libgpusnek.so")), **given)

    def record(
        self, source: str, name: str, n: int = WARP, launch: Mapping[str, Any] | None = None
    ) -> tuple[Recording, Result]:
        """Execute `source`, compiled beforehand, on interpreters 0 to n - 1 of one block.

        Args:
            source: Program text.
            name: File name of the program.
            n: Number of interpreters.
            launch: Changes to the launch's options.

        Raises:
            BenchFailed: An interpreter fails to start.
            PorterError: The program does not compile.
        """
        setting = Setting(self.device, n, 1, self.sizes)
        going_on = Phase(arenas=setting.arenas(), stop=False)
        check_ended(name, setting.run(EMPTY, going_on, fork=False), self.device)
        code = setting.compile(source.encode(), name)
        rows = np.empty((n, self.words), np.uint32)
        self.library.gpusnek_trace(n, rows.ctypes.data, self.words)
        given: dict[str, Any] = dict(launch or {})
        if self.steps is not None:
            given["max_steps"] = self.steps
        try:
            phase = attrs.evolve(going_on, compiled=code)
            result = setting.run(None, phase, fork=False, **given)
        finally:
            lengths, cut = self._ends(n, rows)
            self.library.gpusnek_trace(0, None, 0)
        ok = self.device.built.status["OK"]
        exception = self.device.built.status["EXCEPTION"]
        ended = (result.status == ok) | (result.status == exception)
        return Recording(rows, lengths, cut | ~ended), result

    def _ends(self, n: int, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        lengths, cut = np.zeros(n, np.uint64), np.zeros(n, bool)
        more = ctypes.c_int(0)
        for i in range(n):
            lengths[i] = self.library.gpusnek_traced(
                i, rows.ctypes.data, self.words, ctypes.byref(more)
            )
            cut[i] = bool(more.value)
        return lengths, cut


def _library(path: Path) -> ctypes.CDLL:
    library = ctypes.CDLL(str(path))  # the handle that the device uses, too
    library.gpusnek_trace.argtypes = [ctypes.c_uint32, ctypes.c_void_p, ctypes.c_uint64]
    library.gpusnek_trace.restype = None
    library.gpusnek_traced.restype = ctypes.c_uint64
    library.gpusnek_traced.argtypes = [
        ctypes.c_uint32,
        ctypes.c_void_p,
        ctypes.c_uint64,
        ctypes.c_void_p,
    ]
    return library
