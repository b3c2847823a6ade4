"""The GPU device: load a cubin or fatbin, allocate buffers and start kernels through CuPy.

Only CuPy's driver-level parts are used: modules, memory, streams and events. `porter.run.open`
makes the device; launches use it through the protocol in `base`.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from typing import Any

import numpy as np

from porter.base.process_bound import OfOneProcess
from porter.errors import (
    LaunchFailed,
    MissingPackage,
    NoGpu,
    NotBuilt,
    NotEnoughMemory,
    UsageError,
    WrongType,
)
from porter.run.built import Built, device_code, device_output
from porter.run.device.base import (
    BLOCK,
    ArenaMemory,
    Arenas,
    Array,
    Chunks,
    Device,
    Interrupt,
    MemberDevice,
    Operations,
    Record,
    RunningKernels,
    Shared,
    SnapshotCopy,
)
from porter.run.device.bounds_checks import bounds_checks_of
from porter.run.device.chunks import ChunkedKernels, SnapshotChunks, chunks_for
from porter.run.device.cuda_operations import KernelOperations
from porter.run.device.host import HostTwin
from porter.run.device.linked_code import LinkedCode, loaded
from porter.run.device.policies import PolicyCache
from porter.run.device.snapshots import SnapshotStore
from porter.run.device.template_cache import Templates
from porter.run.footprint import WORD, Figures, MemoryBudget

NOT_READY = 600  # cudaErrorNotReady


class CudaRunning:
    """A kernel in progress on a stream."""

    refused = None

    def __init__(self, cupy: Any, keep: object, events: tuple[Any, Any]) -> None:
        self._cupy, self._keep, self._events = cupy, keep, events
        self._started = time.monotonic()

    def wait(self, seconds: float | None) -> bool:
        """Wait at most `seconds`; return whether the kernel has ended. Raises LaunchFailed."""
        end = None if seconds is None else time.monotonic() + seconds
        try:
            if end is None:
                self._events[1].synchronize()
                return True
            # The stream may have later launches of other threads, so the event is queried.
            # Event.done reports a failed kernel as running.
            query = self._cupy.cuda.runtime.eventQuery
            while query(self._events[1].ptr) == NOT_READY:
                now = time.monotonic()
                if now >= end:
                    return False
                # Sleep for 2% of the elapsed time, so that polling hardly prolongs short launches.
                time.sleep(min(max((now - self._started) / 50, 20e-6), 2e-3))
            self._events[1].synchronize()  # raises if the kernel failed
            return True
        except self._cupy.cuda.runtime.CUDARuntimeError as error:
            raise LaunchFailed(f"the GPU failed while interpreters ran: {error}") from error

    @property
    def seconds(self) -> float:
        """Seconds between the events around the kernel."""
        return float(self._cupy.cuda.get_elapsed_time(*self._events)) / 1e3


class CudaInterrupt:
    """An interrupt word in device memory. The host writes it by a copy while the kernel runs.

    In host memory, each poll of a warp would be a read over the bus. Bus reads are serialized, and
    loads of other warps on the same multiprocessor wait behind them (docs/lab/performance.md).
    """

    def __init__(self, cupy: Any, value: int) -> None:
        self._cupy = cupy
        self._device = cupy.cuda.Device()
        self._word = cupy.asarray(np.array([value], np.uint32))
        self._ready = cupy.cuda.get_current_stream().record()

    @property
    def address(self) -> int:
        """The word's address in device memory."""
        return int(self._word.data.ptr)

    def write(self, value: int) -> None:
        """Copy `value` to the word on a separate stream, and wait for the copy."""
        try:
            pinned = self._cupy.cuda.alloc_pinned_memory(4)
            np.frombuffer(pinned, np.uint32, 1)[0] = value
            with self._device:
                stream = self._cupy.cuda.Stream(non_blocking=True)
                stream.wait_event(self._ready)
                self._word.data.copy_from_host_async(pinned.ptr, 4, stream)
                stream.synchronize()
        except self._cupy.cuda.runtime.CUDARuntimeError:
            pass  # the GPU has failed; waiting for the launch reports it


LEAST_PINNED = 1 << 16  # bytes of an array whose copy goes through pinned memory
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
    check_number(number, int(cupy.cuda.runtime.getDeviceCount()))
    return number


def check_number(number: int, count: int) -> None:
    """Raise UsageError unless there is a GPU `number` among `count` GPUs."""
    if number >= count:
        raise UsageError(
            f"GPU {number}: there are {count} here, from 0 on",
            hint="`nvidia-smi -L` lists them; CUDA_VISIBLE_DEVICES may hide some.",
        )


class Cuda(OfOneProcess):
    """A GPU that runs interpreters; its arrays are CuPy's."""

    name = "cuda"
    on_gpu = True
    warp = 32
    cores = 0
    members: tuple[MemberDevice, ...] = ()
    native_refusal = "cuda runs native code of programs that it was opened with alone"

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
        words = 2 * self.built.policy["COUNT"]
        self.policies: PolicyCache | None = PolicyCache(lambda: self.zeros(words, np.uint64))
        with self.here():
            self._module, self._kernel = loaded(cupy, built, cubin, code)
            self._kernels = KernelOperations(cupy, self._module, cubin)
            device_code(built)  # detects a file that was replaced during loading
            self.operations: Operations = self._kernels
            self.stream = _stream_of(cupy, stream)
            self._ordered = stream is not None  # the caller orders launches with other work
            self._module.get_function("gpusnek_setup")((1,), (1,), (), stream=self.stream)
            self.stream.synchronize()
            # CuPy loads a module once per GPU, for the GPU that is current.
            self.most_block = int(self._kernel.max_threads_per_block)
            self._bounds_checks = bounds_checks_of(cupy, self._module, self.built)
        self._idle_streams: list[Any] = []  # see `apart`
        self._stores: weakref.WeakSet[SnapshotStore] = weakref.WeakSet()

    def here(self) -> AbstractContextManager[object]:
        """Make this GPU CuPy's current one; memory, streams and limits belong to one GPU."""
        return self.xp.cuda.Device(self.number)  # type: ignore[no-any-return]

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Make a stream that no other thread uses CuPy's current one.

        On a shared stream, a copy waits for the kernels of other threads that fill new arrays, and
        these for a free multiprocessor. Kernels of this stream come before interpreters. Streams
        are used again, because CuPy keeps free memory for the stream that had it.
        """
        if self._ordered:
            yield
            return
        try:
            stream = self._idle_streams.pop()
        except IndexError:
            stream = self.xp.cuda.Stream(non_blocking=True, priority=-1)
        try:
            with stream:
                yield
        finally:
            self._idle_streams.append(stream)

    def finish(self) -> None:
        """Wait for CuPy's current stream."""
        self.xp.cuda.get_current_stream().synchronize()

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
        """Copy to host memory, large arrays through pinned memory, which the GPU writes itself."""
        if not isinstance(array, self.xp.ndarray) or array.nbytes < LEAST_PINNED:
            copy: np.ndarray[Any, Any] = self.xp.asnumpy(array)
            return copy
        pinned = self.xp.cuda.alloc_pinned_memory(array.nbytes)
        view = np.frombuffer(pinned, array.dtype, array.size).reshape(array.shape)
        array.get(out=view)
        return view.copy()  # pinned memory is scarce, and results live long

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

    @cached_property
    def compiler(self) -> Device:
        """A host twin of the same build; the GPU itself where the build has none that loads."""
        try:
            return HostTwin(self.built)
        except (NotBuilt, LaunchFailed):
            return self

    def arenas(self, n: int, pystack: int, heap: int) -> Arenas:
        """Allocate snapshots of local arenas, or arenas in global memory.

        Raises:
            NotEnoughMemory: The memory does not suffice.
        """
        sizes = {"pystack": pystack, "heap": heap}
        if self.local:
            store = SnapshotStore.allocate(self, n, sizes["heap"], self._kernels.run)
            self._stores.add(store)
            return Arenas(n, sizes, store)
        each = self.figures.arena(pystack, heap)
        memory = self.xp.zeros(n * each // WORD, np.uint64)
        table = self.xp.zeros(n, np.uint64)
        fields = {
            "arenas": memory.data.ptr,
            "arena_stride": each,
            "state_table": table.data.ptr,
        }
        return Arenas(n, sizes, ArenaMemory(fields, (memory, table)))

    def single(self, arenas: Arenas, index: int) -> SnapshotCopy:
        """Copy one snapshot. Raises UsageError where arenas are in global memory."""
        if not isinstance(arenas.store, SnapshotStore):
            raise UsageError(
                "interpreters with arenas in global memory cannot be copied",
                hint="Build with --arena local.",
            )
        return arenas.store.single(index)

    def trim(self, arenas: Arenas) -> int:
        """Release rows that no snapshot needs (device/snapshots.py) to CuPy's memory pool."""
        store = arenas.store
        return store.trim() if isinstance(store, SnapshotStore) and arenas.started else 0

    def grow(
        self, arenas: Arenas, threads: int, block: int, spare: int | None, *, whole: bool
    ) -> Chunks | None:
        """Allocate rows for the snapshots of a launch (chunks.chunks_for)."""
        store = arenas.store
        if not isinstance(store, SnapshotStore):
            return None
        is_first = not arenas.started
        return chunks_for(store, threads, block, spare, is_first=is_first, whole=whole)

    def local_value(self, value: object) -> object:
        """Return `value`."""
        return value

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

    def memory_budget(self, local: int) -> MemoryBudget:
        """Return free device memory, and the local memory that resident threads reserve.

        With little free memory, snapshot storage first releases the rows that are not in use.
        """
        pool = self.xp.get_default_memory_pool()
        more = local - _reserved.get(self._id(), 0)
        free, total = self.xp.cuda.runtime.memGetInfo()
        if free < total * SHORT or more > 0:  # the driver needs memory that the pool holds
            pool.free_all_blocks()
            free, _ = self.xp.cuda.runtime.memGetInfo()
        if free < total * SHORT:
            for store in list(self._stores):
                if store.idle:
                    store.shrink()
            pool.free_all_blocks()
            free, _ = self.xp.cuda.runtime.memGetInfo()
        return MemoryBudget(int(free) + int(pool.free_bytes()), self._resident * max(0, more))

    @cached_property
    def _resident(self) -> int:
        """Threads that the GPU can hold at a time."""
        properties = self.xp.cuda.runtime.getDeviceProperties(self.number)
        return int(properties["multiProcessorCount"] * properties["maxThreadsPerMultiProcessor"])

    def _id(self) -> int:
        return int(self.xp.cuda.Device().id)

    def launch(
        self, record: Record, threads: int, chunks: Chunks | None = None, *, urgent: bool = False
    ) -> RunningKernels:
        """Start `threads` threads on this device's stream, or on the urgent one."""
        stream = self._urgent_stream if urgent and not self._ordered else self.stream
        sizes = (int(record[f"{name}_size"]) for name in ("pystack", "heap", "stack"))
        record["local_bytes"] = self._reserve(self.figures.local_memory(*sizes))
        if self._bounds_checks is not None:
            self._bounds_checks.local(int(record["local_bytes"]))
        if chunks is None:
            return self._start(record, threads, stream)
        assert isinstance(chunks, SnapshotChunks)  # a result of grow()
        store = chunks.store

        def start(first: int, count: int) -> CudaRunning:
            record["offset"], record["snapshot_segments"] = first, store.fields["snapshot_segments"]
            with self.here():
                return self._start(record, count, stream)

        running = ChunkedKernels(chunks, threads, start)
        store.used_by(running)
        return running

    @cached_property
    def _urgent_stream(self) -> Any:
        """A stream whose blocks the GPU starts before those of the device's own stream."""
        with self.here():
            return self.xp.cuda.Stream(non_blocking=True, priority=-1)

    def _start(self, record: Record, threads: int, stream: Any) -> CudaRunning:
        block = int(record["block_size"])
        keep = self.xp.asarray(record.reshape(1).view(np.uint8))
        current = self.xp.cuda.get_current_stream()
        if current.ptr != stream.ptr:
            stream.wait_event(current.record())  # buffers are filled on that stream
        events = (self.xp.cuda.Event(), self.xp.cuda.Event())
        try:
            events[0].record(stream)
            self._kernel((-(-threads // block),), (block,), (keep,), stream=stream)
            events[1].record(stream)
            _reserved[self._id()] = int(record["local_bytes"])
        except self.xp.cuda.driver.CUDADriverError as error:
            raise LaunchFailed(f"the kernel does not start: {error}") from error
        return CudaRunning(self.xp, keep, events)

    def close(self) -> None:
        """Release cached device memory."""
        self.xp.get_default_memory_pool().free_all_blocks()
