"""Room in which interpreters of a profiling build count what they do (profile.h)."""

from __future__ import annotations

import numpy as np
from attrs import field, frozen

from porter.errors import UsageError
from porter.run.counted import Counted
from porter.run.device.base import Device
from porter.run.launch.checking import whole

WARP = 32
LEAST_ROOM = 64 << 10  # the tables of profile.h alone take 60 KiB
MOST_ROOM = 1 << 30


@frozen
class Counting:
    """room: bytes of each interpreter that counts; total: of all, which says how many these are."""

    room: int = field(default=512 << 10, validator=whole(LEAST_ROOM, MOST_ROOM))
    total: int = field(default=1 << 30, validator=whole())

    def share(self, n: int) -> tuple[int, int]:
        """How many of `n` interpreters count, and in which steps of warps they are chosen."""
        warps = -(-n // WARP)
        step = -(-warps // max(1, self.total // (self.room * WARP)))
        return sum(min(WARP, n - first) for first in range(0, n, step * WARP)), step


def make_rooms(device: Device, counting: Counting, n: int) -> Counted:
    """Zeroed rooms. UsageError where the build does not count."""
    if not device.built.config.get("profile"):
        raise UsageError(
            f"the build in {device.built.folder} does not count what its instructions do",
            hint="Make one with `porter build --profile`.",
        )
    rooms, step = counting.share(n)
    return Counted(device.zeros((rooms, -(-counting.room // 64) * 64), np.uint8), step)
