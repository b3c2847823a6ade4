"""What interpreters of a profiling build counted, as it lies on the device."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen

from porter.run.device.base import Array, Device


@frozen(eq=False)
class Counted:
    """What interpreters counted. rooms: their memory, a row each, on the device; step: of warps.

    Row r is interpreter `r // 32 * step * 32 + r % 32`.
    """

    rooms: Array
    step: int

    def host(self, device: Device) -> np.ndarray[Any, Any]:
        """The rows as numpy sees them (uint8)."""
        return device.host(self.rooms)
