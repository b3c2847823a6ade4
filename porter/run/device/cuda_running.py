"""A launch on a GPU under way, and the word that interrupts it."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from porter.errors import LaunchFailed

NOT_READY = 600  # cudaErrorNotReady


class CudaRunning:
    """A kernel on a stream."""

    refused = None

    def __init__(self, cupy: Any, stream: Any, keep: object, events: tuple[Any, Any]) -> None:
        self._cupy, self._stream, self._keep, self._events = cupy, stream, keep, events
        self._started = time.monotonic()

    def wait(self, seconds: float | None) -> bool:
        """Whether it has ended, after at most `seconds`."""
        end = None if seconds is None else time.monotonic() + seconds
        try:
            if end is None:
                self._stream.synchronize()
                return True
            query = self._cupy.cuda.runtime.streamQuery  # Stream.done takes a failure for running
            while query(self._stream.ptr) == NOT_READY:
                now = time.monotonic()
                if now >= end:
                    return False
                # A fiftieth of what has passed: short launches are not rounded up by the wait.
                time.sleep(min(max((now - self._started) / 50, 20e-6), 2e-3))
            self._stream.synchronize()  # what failed is reported here
            return True
        except self._cupy.cuda.runtime.CUDARuntimeError as error:
            raise LaunchFailed(f"the GPU failed while interpreters ran: {error}") from error

    @property
    def seconds(self) -> float:
        """Between the events around the kernel."""
        return float(self._cupy.cuda.get_elapsed_time(*self._events)) / 1e3


class CudaInterrupt:
    """A word in device memory, which the host writes by a copy beside the running kernel.

    In host memory each poll of a warp is a read over the bus. Those come one at a time, and what
    the other warps of a multiprocessor load waits behind them (docs/lab/performance.md).
    """

    def __init__(self, cupy: Any, value: int) -> None:
        self._cupy = cupy
        self._device = cupy.cuda.Device()
        self._word = cupy.asarray(np.array([value], np.uint32))
        self._ready = cupy.cuda.get_current_stream().record()

    @property
    def address(self) -> int:
        """In device memory."""
        return int(self._word.data.ptr)

    def write(self, value: int) -> None:
        """Copy `value` there, on a stream of its own, and wait for the copy."""
        try:
            pinned = self._cupy.cuda.alloc_pinned_memory(4)
            np.frombuffer(pinned, np.uint32, 1)[0] = value
            with self._device:
                stream = self._cupy.cuda.Stream(non_blocking=True)
                stream.wait_event(self._ready)
                self._word.data.copy_from_host_async(pinned.ptr, 4, stream)
                stream.synchronize()
        except self._cupy.cuda.runtime.CUDARuntimeError:
            pass  # the GPU has failed, which whoever waits for the launch is told
