"""A kernel in progress on a GPU, and the interrupt word that its interpreters poll."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from porter.errors import LaunchFailed

NOT_READY = 600  # cudaErrorNotReady


class CudaRunning:
    """A kernel in progress on a stream."""

    refused = None

    def __init__(self, cupy: Any, stream: Any, keep: object, events: tuple[Any, Any]) -> None:
        self._cupy, self._stream, self._keep, self._events = cupy, stream, keep, events
        self._started = time.monotonic()

    def wait(self, seconds: float | None) -> bool:
        """Wait at most `seconds`; return whether the kernel has ended. Raises LaunchFailed."""
        end = None if seconds is None else time.monotonic() + seconds
        try:
            if end is None:
                self._stream.synchronize()
                return True
            # Stream.done reports a failed kernel as running
            query = self._cupy.cuda.runtime.streamQuery
            while query(self._stream.ptr) == NOT_READY:
                now = time.monotonic()
                if now >= end:
                    return False
                # Sleep for 2% of the elapsed time, so that polling hardly prolongs short launches.
                time.sleep(min(max((now - self._started) / 50, 20e-6), 2e-3))
            self._stream.synchronize()  # raises if the kernel failed
            return True
        except self._cupy.cuda.runtime.CUDARuntimeError as error:
            raise LaunchFailed(f"the GPU failed while interpreters ran: {error}") from error

    @property
    def seconds(self) -> float:
        """Seconds between the events around the kernel."""
        return float(self._cupy.cuda.get_elapsed_time(*self._events)) / 1e3


class CudaInterrupt:
    """An interrupt word in device memory. The host writes it by a copy while the kernel runs.

    In host memory, each poll of a warp would be a read over the bus. Such reads are serialized, and
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
