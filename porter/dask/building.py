"""The build that workers run: a finished one, or one that is made for what they have."""

from __future__ import annotations

import os
from collections.abc import Mapping

from porter.array.opening import ready_build
from porter.base import arguments
from porter.dask.connecting import Abilities, target_for
from porter.errors import ClusterMismatch, UsageError
from porter.run.built import Built, open_build


def build_for(
    workers: Mapping[str, Abilities],
    target: str | None,
    release: str | None,
    build: str | os.PathLike[str] | Built | None,
    *,
    fences: bool = True,
) -> Built:
    """A build with what `workers` need: the given one, one that came with porter, or a new one.

    fences: of one that is not given.

    Raises UsageError, NotBuilt, ClusterMismatch, and what building raises.
    """
    if target is not None:
        arguments.choice(target, "target", ("host", "cuda"))
    wanted = target or target_for(workers)
    if build is None:
        from porter.settings import load_config

        config = load_config({"target": wanted, "release": release, "fences": fences or None})
        if (ready := ready_build(config)) is not None:
            return ready
        from porter.pipeline import build as build_now  # loads libclang

        return open_build(build_now(config).folder)
    if release is not None:
        raise UsageError("release: the build in a folder has its own")
    built = build if isinstance(build, Built) else open_build(arguments.path(build, "build"))
    lacks_gpu = all(worker.gpus for worker in workers.values()) and "cuda" in built.whole.targets
    if target is None and not lacks_gpu and "host" not in built.whole.targets:
        raise ClusterMismatch(
            f"{built.folder} has no host twin, and there are workers without a GPU",
            hint="Build with --target all.",
        )
    if target is not None and target not in built.whole.targets:
        raise UsageError(f"target: the build in {built.folder} has no {target}")
    return built
