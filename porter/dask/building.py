"""Choose the build that workers run: a given one, or one made for the workers' devices."""

from __future__ import annotations

import os
from collections.abc import Mapping

from porter.array.device_selection import ready_build
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
    """Return a build for `workers`: the given one, a bundled one, or a new one.

    Args:
        workers: The workers' abilities by address.
        target: The target that every worker must run; None if each may run either.
        release: The release of a new build.
        build: A finished build, or its folder.
        fences: Whether a build that is not given has bounds checks.

    Raises:
        UsageError: The arguments contradict each other.
        NotBuilt: The folder has no build.
        ClusterMismatch: The given build does not suit all workers.
        PorterError: Building failed.
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
