"""Batch sizing: the number of calls per launch, from free memory and the sizes of interpreters.

`distribution` sizes portions with it, and `growth` the launches of larger interpreters.
"""

from __future__ import annotations

import os

from porter.evaluation.launches import VALUE_SIZE
from porter.evaluation.options import Judging
from porter.run import Device
from porter.run.launch.options import Sizes
from porter.run.launch.plan import footprint, free

ON_GPU = 1 << 20  # calls; four times the resident threads of a large GPU
ON_CORE = 1 << 13  # calls; a fifth of a second of short calls
LEAST_ON_HOST = 1 << 15  # calls
LEDGER = 64  # bytes of bookkeeping per row
# Portions that a GPU judges at a time: one runs, and Python prepares and reads the others.
SLOTS_ON_GPU = 3


def sizes_of(how: Judging) -> Sizes:
    """Return the sizes of the interpreters that `how` needs, with their output streams."""
    stdout = how.buffer if "outputs" in how.keep else 0
    stderr = None if "tracebacks" in how.keep else 0
    return Sizes(**how.sizes | {"stdout": stdout, "stderr": stderr})


def rows_at_once(device: Device, how: Judging) -> int:
    """Return the number of calls per launch of interpreters that `how` needs; at least 1."""
    need = footprint(
        device, sizes_of(how), arena_needed=not device.scratch, records=how.wants_records
    )
    value = 2 * VALUE_SIZE if how.wants_values else 0
    # A part of the free memory: templates, sources and host buffers need some too.
    parts = SLOTS_ON_GPU + 1 if device.on_gpu else 2
    most = free(device, need).left // parts // (need.each + value + LEDGER)
    wanted = ON_GPU if device.on_gpu else max(LEAST_ON_HOST, ON_CORE * (os.cpu_count() or 1))
    return max(1, min(most, wanted))
