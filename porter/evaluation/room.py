"""Batch sizing: choose the number of calls per launch from free device memory and occupancy."""

from __future__ import annotations

from porter.evaluation.judging import Judging
from porter.evaluation.launching import VALUE_SIZE
from porter.run import Device
from porter.run.launch.plan import footprint, free
from porter.run.launch.spec import Sizes

ON_GPU = 1 << 20  # calls; four times the resident threads of a large GPU
ON_HOST = 1 << 15  # calls; less than a second of short calls
LEDGER = 64  # bytes of bookkeeping per row


def rows_at_once(device: Device, how: Judging) -> int:
    """Return the number of calls per launch of interpreters that `how` needs; at least 1."""
    stdout = how.stdout if "outputs" in how.keep else 0
    stderr = None if "tracebacks" in how.keep else 0
    sizes = Sizes(**how.sizes | {"stdout": stdout, "stderr": stderr})
    need = footprint(device, sizes, arena_needed=not device.scratch, records=how.wants_records)
    value = 2 * VALUE_SIZE if how.wants_values else 0
    # Half of the free memory: templates, sources and host buffers need some too.
    most = free(device, need).left // 2 // (need.each + value + LEDGER)
    return max(1, min(most, ON_GPU if device.on_gpu else ON_HOST))
