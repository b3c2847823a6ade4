"""How many calls one launch makes: what memory has room for, and no more than fills a device."""

from __future__ import annotations

from porter.evaluation.judging import Judging
from porter.evaluation.launching import VALUE_SIZE
from porter.run import Device
from porter.run.launch.plan import footprint, free
from porter.run.launch.spec import Sizes

ON_GPU = 1 << 20  # four times the threads that a large GPU has resident
ON_HOST = 1 << 15  # less than a second of short calls
LEDGER = 64  # bytes of what is written down for a row


def rows_at_once(device: Device, how: Judging) -> int:
    """Calls of one launch of the interpreters that `how` wants; at least 1."""
    stdout = how.stdout if "outputs" in how.keep else 0
    stderr = None if "tracebacks" in how.keep else 0
    sizes = Sizes(**how.sizes | {"stdout": stdout, "stderr": stderr})
    need = footprint(device, sizes, arena_needed=not device.scratch, records=how.wants_records)
    value = 2 * VALUE_SIZE if how.wants_values else 0
    # Half of what is free: templates, sources and what the host gathers want some too.
    most = free(device, need).left // 2 // (need.each + value + LEDGER)
    return max(1, min(most, ON_GPU if device.on_gpu else ON_HOST))
