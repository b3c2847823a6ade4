"""What the checks of a fenced device build compare with (templates/runtime/fences.cu)."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import define, field

from porter.manifest import DeviceConstants, DeviceOutput
from porter.run.built import Built

WINDOW = 1 << 24  # PORTER_LOCAL_WINDOW of porter_runtime.h
MARGIN = 128  # the most bytes that one check covers: MOST of porter/compile/fencing/coverage.py
HOST_TO_DEVICE = 1  # cudaMemcpyHostToDevice


@define
class Fences:
    """Writes the constant memory of a module that was loaded. cupy: CuPy."""

    cupy: Any
    module: Any
    _local: int = field(default=0, init=False)  # bytes of local memory that checks know of

    def constants(self, constants: DeviceConstants) -> None:
        """The build's own constants are where the module was loaded to."""
        start = int(self.module.get_global("gpusnek_info").ptr) - constants.info
        self._write("porter_fence_constants", np.array([start, constants.size], np.uint64))

    def local(self, size: int) -> None:
        """Threads have `size` bytes of local memory by now; launches under way have less."""
        used = size & ~15
        if used != self._local:
            spans = [(used - MARGIN) >> shift for shift in range(5)]
            self._write("porter_fence_window", np.array([WINDOW - used, *spans], np.uint32))
            self._local = used

    def _write(self, name: str, values: np.ndarray[Any, Any]) -> None:
        to = int(self.module.get_global(name).ptr)
        self.cupy.cuda.runtime.memcpy(to, values.ctypes.data, values.nbytes, HOST_TO_DEVICE)


def fences_of(cupy: Any, module: Any, built: Built) -> Fences | None:
    """The fences of a module that was just loaded, written; None where the build has none."""
    output = built.whole.targets["cuda"]
    if not built.config.get("fences") or not isinstance(output, DeviceOutput):
        return None
    fences = Fences(cupy, module)
    (code,) = output.machine.values()  # a build with fences is for one architecture
    fences.constants(code.constants)
    runtime = cupy.cuda.runtime
    fences.local(int(runtime.deviceGetLimit(runtime.cudaLimitStackSize)))
    return fences
