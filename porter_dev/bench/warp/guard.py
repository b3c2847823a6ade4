"""Guard against divergence: compare active lanes of the model `barriers` with stored values.

Values are hundredths of lanes.
"""

from __future__ import annotations

from collections.abc import Mapping

from porter.run.built import Built
from porter_dev.bench.guard import TOLERANCE, load, store
from porter_dev.bench.warp.record import TARGET

__all__ = ["compare", "lanes_table", "load", "store"]


def lanes_table(built: Built) -> str:
    """Return the name of the baseline's table for this traced host twin."""
    compiler = str(built.manifest["targets"][TARGET]["compiler"])
    return f"lanes, {built.manifest['release']}, g++ {compiler.partition('.')[0]}"


def compare(stored: Mapping[str, int], lanes: Mapping[str, int]) -> list[str]:
    """Return a line for each value below the stored one by TOLERANCE, or not stored."""
    worse = []
    for name, n in lanes.items():
        before = stored.get(name)
        if before is None:
            worse.append(f"{name}: {n / 100} lanes, and none are stored")
        elif n < before * (1 - TOLERANCE):
            worse.append(
                f"{name}: {n / 100} lanes, stored {before / 100}, {100 * (n / before - 1):+.1f} %"
            )
    return worse
