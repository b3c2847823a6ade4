"""The guard of lanes: hundredths of lanes active in the model `barriers`, against stored ones."""

from __future__ import annotations

from collections.abc import Mapping

from porter.bench.guard import TOLERANCE, load, store
from porter.bench.warp.record import TARGET
from porter.run.built import Built

__all__ = ["compare", "lanes_table", "load", "store"]


def lanes_table(built: Built) -> str:
    """The baseline's table for this traced host twin."""
    compiler = str(built.manifest["targets"][TARGET]["compiler"])
    return f"lanes, {built.manifest['release']}, g++ {compiler.partition('.')[0]}"


def compare(stored: Mapping[str, int], lanes: Mapping[str, int]) -> list[str]:
    """What is less than stored by more than TOLERANCE, or not stored, a line each."""
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
