"""Counters of a profiling build, read back from the device after a launch."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen

from porter.run.device.base import Array, Device


@frozen(eq=False)
class Counted:
    """The counters of the interpreters that were sampled in a launch.

    Row r belongs to interpreter `r // 32 * step * 32 + r % 32`.

    Attributes:
        rooms: Counter memory on the device, one row per sampled interpreter (uint8).
        step: Distance between sampled warps.
    """

    rooms: Array
    step: int

    def host(self, device: Device) -> np.ndarray[Any, Any]:
        """Copy the rows to the host (uint8)."""
        return device.host(self.rooms)
