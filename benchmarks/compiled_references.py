"""Reference implementations for benchmarks/compiled.py: C by hand and, on a GPU, Numba."""

from __future__ import annotations

import ctypes
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import numpy as np
from attrs import define, field

from benchmarks.compiled_programs import BenchProgram
from porter.run import Device
from porter_dev.bench.c_references import load_compiled

BLOCK = 256  # threads per block
# CPython rounds after every operation and the results must match, so no FMA contraction.
GXX = ("-x", "c++", "-std=c++17", "-O2", "-ffp-contract=off")
NVRTC = ("-fmad=false", "-std=c++17")

Run = Callable[[int], float]  # runs that many repetitions in sequence; returns seconds
Data = np.ndarray[Any, Any] | None


class Reference(Protocol):
    """Another implementation of the programs; `column` is its column in the report."""

    column: str

    def can(self, program: BenchProgram) -> bool:
        """Return whether it implements this program."""

    def prepare(self, program: BenchProgram, work: int, n: int, data: Data) -> Run:
        """Prepare the work of `n` interpreters, each with WORK = `work`, and return its timer."""

    def result(self, index: int) -> int:
        """Return the result of interpreter `index` in the last run."""


def function_of(program: BenchProgram) -> str:
    """Return C++ for the work of one interpreter."""
    return (
        "typedef long long wide;\n"
        f"static FUNCTION wide work(wide WORK, wide threadIdx, wide numThreads, "
        f"{program.element} *data) {{\n{program.c.replace('long long', 'wide')}}}\n"
    )


def cuda_text(program: BenchProgram) -> str:
    """Return CUDA C for the work of all interpreters."""
    return (
        "#define FUNCTION __device__\n"
        '#define KEEP(x) asm volatile("" : : "l"(&x) : "memory");\n'
        f"{function_of(program)}"
        'extern "C" __global__ void run('
        f"wide *out, wide WORK, wide n, {program.element} *data) {{\n"
        "    wide i = blockIdx.x * (wide)blockDim.x + threadIdx.x;\n"
        f"    if (i < n) {{ out[i] = work(WORK, i, n, data + i * {program.own}); }}\n}}\n"
    )


@define
class HostC:
    """C++ by g++ -O2, on one core."""

    device: Device
    column: str = "c"
    _out: np.ndarray[Any, Any] = field(factory=lambda: np.zeros(0, np.int64))
    _data: np.ndarray[Any, Any] = field(factory=lambda: np.zeros(1))

    def can(self, program: BenchProgram) -> bool:
        return bool(program.c)

    def prepare(self, program: BenchProgram, work: int, n: int, data: Data) -> Run:
        text = (
            "#define FUNCTION\n"
            '#define KEEP(x) asm volatile("" : : "r"(&x) : "memory");\n'
            f"{function_of(program)}"
            f'extern "C" void run(wide *out, wide WORK, wide n, {program.element} *data) {{\n'
            "    for (wide i = 0; i < n; i++) {\n"
            f"        out[i] = work(WORK, i, n, data + i * {program.own});\n"
            "    }\n}\n"
        )
        with TemporaryDirectory(prefix="porter-bench-") as folder:
            source = Path(folder, "reference.cpp")
            source.write_text(text)
            function = load_compiled(source, GXX).run
        self._out = np.zeros(n, np.int64)
        self._data = np.zeros(1) if data is None else data.copy()
        out, values = (ctypes.c_void_p(array.ctypes.data) for array in (self._out, self._data))
        each, count = ctypes.c_longlong(work), ctypes.c_longlong(n)

        def run(turns: int) -> float:
            start = time.process_time()
            for _ in range(turns):
                function(out, each, count, values)
            return time.process_time() - start

        return run

    def result(self, index: int) -> int:
        return int(self._out[index])


@define
class CudaC:
    """CUDA C by NVRTC with default optimisation; times many launches between two events."""

    device: Device
    column: str = "c"
    _out: Any = None

    def can(self, program: BenchProgram) -> bool:
        return bool(program.c)

    def prepare(self, program: BenchProgram, work: int, n: int, data: Data) -> Run:
        text = cuda_text(program)
        cupy = self.device.xp
        kernel = cupy.RawModule(code=text, options=NVRTC).get_function("run")
        self._out = cupy.zeros(n, np.int64)
        held = cupy.zeros(1) if data is None else cupy.asarray(data)
        given = (self._out, np.int64(work), np.int64(n), held)
        return _between_events(cupy, lambda: kernel((-(-n // BLOCK),), (BLOCK,), given))

    def result(self, index: int) -> int:
        return int(self._out[index])


@define
class NumbaCuda:
    """Numba's CUDA target, if installed; programs that it cannot express are left out."""

    device: Device
    column: str = "numba"
    _out: Any = None

    def can(self, program: BenchProgram) -> bool:
        if not program.numba:
            return False
        try:
            from numba import cuda

            if not cuda.is_available():
                return False
            cuda.jit("void()")(_nothing)
        except (ImportError, AttributeError):  # AttributeError: Numba does not support this NumPy
            return False
        return True

    def prepare(self, program: BenchProgram, work: int, n: int, data: Data) -> Run:
        from numba import cuda

        names: dict[str, Any] = {"cuda": cuda}
        body = textwrap.indent(program.numba, "    ")
        text = (
            f"def work(WORK, threadIdx, numThreads, data):\n{body}\n"
            "work = cuda.jit(device=True, fastmath=False)(work)\n"
            "def run(out, WORK, n, data):\n"
            "    i = cuda.grid(1)\n"
            "    if i < n:\n        out[i] = work(WORK, i, n, data)\n"
            "run = cuda.jit(fastmath=False)(run)\n"
        )
        exec(text, names)
        cupy = self.device.xp
        self._out = cupy.zeros(n, np.int64)
        held = cupy.zeros(1) if data is None else cupy.asarray(data)
        kernel = names["run"][-(-n // BLOCK), BLOCK]
        return _between_events(cupy, lambda: kernel(self._out, work, n, held))

    def result(self, index: int) -> int:
        return int(self._out[index])


def _nothing() -> None:
    """Do nothing: compiling this kernel shows whether Numba works."""


def _between_events(cupy: Any, launch: Callable[[], object]) -> Run:
    def run(turns: int) -> float:
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        for _ in range(turns):
            launch()
        end.record()
        end.synchronize()
        return float(cupy.cuda.get_elapsed_time(start, end)) / 1e3

    return run
