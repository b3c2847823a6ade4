"""Memory for the counters of interpreters in a profiling build (profile.h)."""

from __future__ import annotations

import numpy as np
from attrs import field, frozen

from porter.base.deprecated import renamed_fields
from porter.errors import UsageError
from porter.run.device.base import Device
from porter.run.launch.validators import whole
from porter.run.result import Counted

WARP = 32
LEAST_ROOM = 64 << 10  # bytes; the tables of profile.h alone take 60 KiB
MOST_ROOM = 1 << 30


@renamed_fields(room="counter_buffer")
@frozen
class Counting:
    """The memory budget for counters; it determines how many interpreters are sampled.

    Attributes:
        counter_buffer: Bytes per sampled interpreter.
        total: Bytes of all.
    """

    counter_buffer: int = field(default=512 << 10, validator=whole(LEAST_ROOM, MOST_ROOM))
    total: int = field(default=1 << 30, validator=whole())

    def share(self, n: int) -> tuple[int, int]:
        """Return how many of `n` interpreters are sampled, and the distance of sampled warps."""
        warps = -(-n // WARP)
        step = -(-warps // max(1, self.total // (self.counter_buffer * WARP)))
        return sum(min(WARP, n - first) for first in range(0, n, step * WARP)), step


def allocate_counters(device: Device, counting: Counting, n: int) -> Counted:
    """Allocate zeroed counter memory.

    Raises:
        UsageError: The build has no counters.
    """
    if not device.built.config.get("profile"):
        raise UsageError(
            f"the build in {device.built.folder} does not count what its instructions do",
            hint="Make one with `porter build --profile`.",
        )
    count, step = counting.share(n)
    return Counted(device.zeros((count, -(-counting.counter_buffer // 64) * 64), np.uint8), step)
