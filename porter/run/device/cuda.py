"""The GPU device: load a cubin or fatbin, allocate buffers and start kernels through CuPy.

Only CuPy's driver-level parts are used: modules, memory, streams and events. `porter.run.open`
makes the device; launches use it through the protocol in `base`.
"""

from __future__ import annotations

import weakref
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from porter.base.one_process import OfOneProcess
from porter.errors import (
    LaunchFailed,
    MissingPackage,
    NoGpu,
    NotEnoughMemory,
    UsageError,
    WrongType,
)
from porter.run.built import Built, device_code, device_output
from porter.run.device.base import (
    BLOCK,
    Arenas,
    Array,
    Chunks,
    Interrupt,
    Operations,
    Record,
    Running,
    Shared,
)
from porter.run.device.chunks import InChunks, chunks_for
from porter.run.device.cuda_running import CudaInterrupt, CudaRunning
from porter.run.device.fences import fences_of
from porter.run.device.images import Images, single, trim
from porter.run.device.kernels import KernelOperations
from porter.run.device.linking import LinkedCode, loaded
from porter.run.device.templates import Templates
from porter.run.footprint import WORD, Figures, Room

SHORT = 0.25  # fraction of GPU memory; with less free memory, unused snapshot rows are released
PRINTF_FIFO = 1  # cudaLimitPrintfFifoSize; not every CuPy version names it

# Bytes of local memory per thread that the driver has reserved, by device; they are not free. The
# driver reserves them at the first launch after the limit was raised.
_reserved: dict[int, int] = {}


def _cupy() -> Any:
    try:
        import cupy
    except ImportError as error:
        raise MissingPackage(
            f"CuPy does not load: {error}", hint="Install it: pip install 'gpusnek-porter[cuda]'."
        ) from error
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        hint = "`--target host` needs none."
        if "InitializationError" in str(error):
            hint = (
                "A process that was forked from one that had used the GPU cannot use it: start it "
                'with multiprocessing\'s method "spawn".'
            )
        raise NoGpu(f"no GPU: {error}", hint=hint) from error
    if not count:
        raise NoGpu("no GPU", hint="`--target host` needs none.")
    return cupy


def gpu_count() -> int:
    """Return the number of GPUs, at least one.

    Raises:
        NoGpu: There is no GPU.
        MissingPackage: CuPy cannot be imported.
    """
    return int(_cupy().cuda.runtime.getDeviceCount())


def _stream_of(cupy: Any, stream: Any) -> Any:
    """Convert a stream to a CuPy stream.

    Args:
        cupy: The CuPy module.
        stream: A stream of CuPy or another library, or its address; None: make a new stream.

    Raises:
        WrongType: `stream` is not a CUDA stream.
    """
    if stream is None:
        return cupy.cuda.Stream(non_blocking=True)
    if hasattr(stream, "ptr") and hasattr(stream, "wait_event"):
        return stream  # a CuPy stream
    if hasattr(stream, "__cuda_stream__"):
        stream = stream.__cuda_stream__()[1]
    stream = getattr(stream, "cuda_stream", stream)  # a PyTorch stream
    if not isinstance(stream, int):
        raise WrongType(f"stream: {type(stream).__name__} is no CUDA stream")
    return cupy.cuda.ExternalStream(stream)


def _number(cupy: Any, number: int | None) -> int:
    """Return the GPU's number; None stands for the thread's current GPU.

    Raises:
        UsageError: There is no such GPU.
    """
    if number is None:
        return int(cupy.cuda.Device().id)
    count = int(cupy.cuda.runtime.getDeviceCount())
    if number >= count:
        raise UsageError(
            f"GPU {number}: there are {count} here, from 0 on",
            hint="`nvidia-smi -L` lists them; CUDA_VISIBLE_DEVICES may hide some.",
        )
    return number


class Cuda(OfOneProcess):
    """A GPU that runs interpreters; its arrays are CuPy's."""

    name = "cuda"
    on_gpu = True
    warp = 32

    def __init__(
        self,
        built: Built,
        *,
        block: int = BLOCK,
        stream: Any = None,
        number: int | None = None,
        code: LinkedCode | None = None,
    ) -> None:
        self.built = built
        self.linked = code
        self.block = block
        device_output(built)  # raises NotBuilt before CuPy is imported
        cupy = self.xp = _cupy()
        cubin = device_code(built)
        self.number = _number(cupy, number)
        self.figures = Figures.of(built.whole.targets["cuda"].info)
        self.local = self.scratch = self.figures.local
        self.templates = Templates()
        with self.here():
            self._module, self._kernel = loaded(cupy, built, cubin, code)
            self._kernels = KernelOperations(cupy, self._module, cubin)
            device_code(built)  # detects a file that was replaced during loading
            self.operations: Operations = self._kernels
            self.stream = _stream_of(cupy, stream)
            self._module.get_function("gpusnek_setup")((1,), (1,), (), stream=self.stream)
            self.stream.synchronize()
            # CuPy loads a module once per GPU, for the GPU that is current.
            self.most_block = int(self._kernel.max_threads_per_block)
            self._fences = fences_of(cupy, self._module, self.built)
        self._images: weakref.WeakSet[Images] = weakref.WeakSet()

    def here(self) -> AbstractContextManager[object]:
        """Make this GPU CuPy's current one; memory, streams and limits belong to one GPU."""
        return self.xp.cuda.Device(self.number)  # type: ignore[no-any-return]

    def array(self, values: np.ndarray[Any, Any]) -> Array:
        """Copy to device memory."""
        return self.xp.asarray(values)

    def zeros(self, shape: int | tuple[int, ...], dtype: Any) -> Array:
        """Allocate zeroed device memory."""
        return self.xp.zeros(shape, dtype)

    def address(self, array: Array) -> int:
        """Return the device address."""
        address: int = array.data.ptr
        return address

    def host(self, array: Array) -> np.ndarray[Any, Any]:
        """Copy to host memory."""
        copy: np.ndarray[Any, Any] = self.xp.asnumpy(array)
        return copy

    def _reserve(self, need: int) -> int:
        """Raise the local memory limit to at least `need` bytes per thread. Returns the limit.

        The limit applies to all kernels on the device, and is never lowered here.
        """
        runtime = self.xp.cuda.runtime
        have = int(runtime.deviceGetLimit(runtime.cudaLimitStackSize))
        if have >= need:
            return have
        try:
            runtime.deviceSetLimit(runtime.cudaLimitStackSize, need)
        except runtime.CUDARuntimeError as error:
            raise NotEnoughMemory(
                f"this GPU cannot give each thread {need} bytes of local memory: {error}",
                hint="Make --heap or --stack smaller, or build with --arena global.",
            ) from error
        return int(runtime.deviceGetLimit(runtime.cudaLimitStackSize))

    def arenas(self, n: int, pystack: int, heap: int) -> Arenas:
        """Allocate snapshots of local arenas, or arenas in global memory.

        Raises:
            NotEnoughMemory: The memory does not suffice.
        """
        sizes = {"pystack": pystack, "heap": heap}
        if self.local:
            arenas = Images.arenas(self, n, sizes, self._kernels.run)
            self._images.add(arenas.keep)
            return arenas
        each = self.figures.arena(pystack, heap)
        memory = self.xp.zeros(n * each // WORD, np.uint64)
        table = self.xp.zeros(n, np.uint64)
        fields = {
            "arenas": memory.data.ptr,
            "arena_stride": each,
            "state_table": table.data.ptr,
        }
        return Arenas(n, fields, sizes, (memory, table))

    def single(self, arenas: Arenas, index: int) -> Arenas:
        """Copy one snapshot. Raises UsageError where arenas are in global memory."""
        if not self.local:
            raise UsageError(
                "interpreters with arenas in global memory cannot be copied",
                hint="Build with --arena local.",
            )
        return single(self, arenas, index)

    def trim(self, arenas: Arenas) -> int:
        """Release rows that no snapshot needs (device/images.py) to CuPy's memory pool."""
        return trim(arenas) if self.local else 0

    def grow(
        self, arenas: Arenas, threads: int, block: int, spare: int | None, *, whole: bool
    ) -> Chunks | None:
        """Allocate rows for the snapshots of a launch (chunks.chunks_for)."""
        if not self.local:
            return None
        return chunks_for(arenas, threads, block, spare, whole=whole)

    def interrupt(self, value: int) -> Interrupt:
        """Create an interrupt word in device memory."""
        return CudaInterrupt(self.xp, value)

    def shared(self, size: int) -> Shared:
        """Allocate pinned host memory; kernels access it over the bus at the same address."""
        memory = self.xp.cuda.alloc_pinned_memory(size)
        view = np.frombuffer(memory, np.uint8, size)
        view[:] = 0
        return Shared(view, memory.ptr, memory)

    def print_room(self, size: int) -> None:
        """Resize the buffer of device printf; the driver allows it until a kernel has printed."""
        runtime = self.xp.cuda.runtime
        if int(runtime.deviceGetLimit(PRINTF_FIFO)) >= size:
            return
        try:
            runtime.deviceSetLimit(PRINTF_FIFO, size)
        except runtime.CUDARuntimeError as error:
            have = int(runtime.deviceGetLimit(PRINTF_FIFO))
            raise UsageError(
                f"this GPU cannot give printf {size} bytes now, it has {have}: {error}",
                hint="Ask before any kernel that prints has run in this process.",
            ) from error

    def room(self, local: int) -> Room:
        """Return free device memory, and the local memory that resident threads reserve.

        With little free memory, snapshot storage first releases the rows that are not in use.
        """
        pool = self.xp.get_default_memory_pool()
        pool.free_all_blocks()
        free, total = self.xp.cuda.runtime.memGetInfo()
        if free < total * SHORT:
            for images in list(self._images):
                if images.idle:
                    images.shrink()
            pool.free_all_blocks()
            free, _ = self.xp.cuda.runtime.memGetInfo()
        properties = self.xp.cuda.runtime.getDeviceProperties(self.xp.cuda.Device().id)
        threads = properties["multiProcessorCount"] * properties["maxThreadsPerMultiProcessor"]
        more = local - _reserved.get(self._id(), 0)
        return Room(int(free), threads * max(0, more))

    def _id(self) -> int:
        return int(self.xp.cuda.Device().id)

    def launch(self, record: Record, threads: int, chunks: Chunks | None = None) -> Running:
        """Start `threads` threads on this device's stream."""
        sizes = (int(record[f"{name}_size"]) for name in ("pystack", "heap", "stack"))
        record["local_bytes"] = self._reserve(self.figures.local_memory(*sizes))
        if self._fences is not None:
            self._fences.local(int(record["local_bytes"]))
        if chunks is None:
            return self._start(record, threads)
        images: Images = chunks.arenas.keep

        def start(first: int, count: int) -> CudaRunning:
            record["offset"], record["image_segments"] = first, images.fields["image_segments"]
            with self.here():
                return self._start(record, count)

        running = InChunks(chunks, threads, start)
        images.used_by(running)
        return running

    def _start(self, record: Record, threads: int) -> CudaRunning:
        block = int(record["block_size"])
        keep = self.xp.asarray(record.reshape(1).view(np.uint8))
        current = self.xp.cuda.get_current_stream()
        if current.ptr != self.stream.ptr:
            self.stream.wait_event(current.record())  # buffers are filled on that stream
        events = (self.xp.cuda.Event(), self.xp.cuda.Event())
        try:
            events[0].record(self.stream)
            self._kernel((-(-threads // block),), (block,), (keep,), stream=self.stream)
            events[1].record(self.stream)
            _reserved[self._id()] = int(record["local_bytes"])
        except self.xp.cuda.driver.CUDADriverError as error:
            raise LaunchFailed(f"the kernel does not start: {error}") from error
        return CudaRunning(self.xp, self.stream, keep, events)

    def close(self) -> None:
        """Release cached device memory."""
        self.xp.get_default_memory_pool().free_all_blocks()
