"""Time the numeric programs in C: CUDA C on a GPU, C++ on one CPU core beside a host twin.

C++ sources become shared libraries when they are first used.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from porter.base import process
from porter.errors import BenchFailed, BuildFailed, NoCompiler, ToolFailed, ToolMissing
from porter.run.device.base import Array, Device
from porter_dev.bench.catalogue import Benchmark
from porter_dev.bench.measurement import Figure
from porter_dev.bench.oracle import Summing, expected, subject


def load_compiled(source: Path, flags: Sequence[str]) -> ctypes.CDLL:
    """Compile `source` with g++ and load it into this process.

    Raises:
        NoCompiler: g++ is not installed.
        BuildFailed: g++ rejects the source.
    """
    with TemporaryDirectory(prefix="porter-bench-") as folder:
        library = Path(folder, source.stem + ".so")
        try:
            process.run(["g++", *flags, "-shared", "-fPIC", "-o", library, source], timeout=120)
        except ToolMissing as error:
            raise NoCompiler("g++ is not installed", hint=error.hint) from error
        except ToolFailed as error:
            raise BuildFailed(f"{source}: {error.output or error}") from error
        return ctypes.CDLL(str(library))


SOURCE = Path(__file__).parent / "kernels.h"
BLOCK = 256  # threads per block
ABOUT = {
    "cuda": "CUDA C by hand, compiled by NVRTC, CUDA events",
    "host": "C++ by hand, g++ -O2, one core",
}
# CPython rounds after every operation and the results must match, so no FMA contraction.
_GXX = ("-x", "c++", "-O2", "-ffp-contract=off")
_NVRTC = ("-fmad=false", "-std=c++17")


def measure(device: Device, benchmark: Benchmark, n: int, repeat: int) -> Figure:
    """Time `benchmark.kernel` on the work of `n` interpreters and check its results.

    Raises:
        BenchFailed: A result differs from CPython's.
        NoCompiler: g++ is not installed.
        BuildFailed: g++ rejects the source.
    """
    assert benchmark.kernel is not None
    about = subject(benchmark, device, n)
    seconds = []
    for _ in range(repeat + 1):
        if isinstance(about, Summing):
            about.reset()
            seconds.append(_time(device, benchmark.kernel, about.data, n))
            about.check_sums()
        else:
            out = device.array(np.full(n, -1, np.int32))
            seconds.append(_time(device, benchmark.kernel, out, n))
            _check(benchmark, device.host(out))
    return Figure.of(seconds[1:])  # the first repetition warms up


def _time(device: Device, kernel: str, out: Array, n: int) -> float:
    if not device.on_gpu:
        function = getattr(_library(), kernel)
        start = time.perf_counter()
        function(ctypes.c_void_p(device.address(out)), ctypes.c_uint(n))
        return time.perf_counter() - start
    cuda = device.xp.cuda
    start, end = cuda.Event(), cuda.Event()
    function = _module(device.xp).get_function(kernel)
    start.record()
    function((-(-n // BLOCK),), (BLOCK,), (out, np.uint32(n)))
    end.record()
    end.synchronize()
    return float(cuda.get_elapsed_time(start, end)) / 1e3


def _check(benchmark: Benchmark, out: np.ndarray[Any, Any]) -> None:
    texts = [int(text) for text in expected(benchmark)]
    want = np.resize(np.array(texts, np.int32), len(out))
    if not (out == want).all():
        bad = int((out != want).argmax())
        raise BenchFailed(f"{benchmark.name}: C says {out[bad]} for {bad}, CPython {want[bad]}")


@cache
def _library() -> ctypes.CDLL:
    return load_compiled(SOURCE, _GXX)


@cache
def _module(cupy: Any) -> Any:
    return cupy.RawModule(code=SOURCE.read_text(), options=_NVRTC)
