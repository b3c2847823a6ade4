"""The runners: an interpreter per process, the host twin, and the GPU."""

from __future__ import annotations

import math
from pathlib import Path

from porter import paths
from porter.config import BuildConfig
from porter.conformance.backends.process import HostDirectoryLauncher, ProcessRunner
from porter.conformance.model import Runner

# The build that upstream's tests need: the largest heap is 384 KiB, the longest
# output 101 KiB (extmod/framebuf_polygon). Local memory is too small for such
# heaps together, so arenas are global unless asked for otherwise.
SIZES = {
    "heap": "512K",
    "stack": "32K",
    "pystack": "32K",
    "stdout": "128K",
    "arena": "global",
    "level": "everything",
}


def open_runner(
    target: str,
    config: BuildConfig,
    timeout: float,
    executable: Path | None = None,
    folder: Path | None = None,
    variant: str = "release",
) -> Runner:
    """The runner for ``target`` (host, cuda, reference), ``timeout`` in seconds a test.

    ``executable`` is tested instead if given, or the finished build in ``folder``. What is
    not built is built first: raises what that or loading the build raises. ``variant`` is the
    host twin's; `porter.run.sanitizer.children` must be around a run of ``asan``.
    """
    if executable is not None:
        return ProcessRunner("executable", HostDirectoryLauncher(executable.resolve()), timeout)
    if target == "reference":
        return _reference(config, timeout)
    from porter.conformance.backends.build import BuildRunner  # loads a whole build

    if folder is None:
        from porter.pipeline import build  # the whole toolchain, which a bare machine lacks

        folder = build(config, variant=variant).folder
    target = target if variant == "release" else f"{target}-{variant}"
    return BuildRunner.open(folder, target, timeout, gc_stress=config.gc_stress)


def _reference(config: BuildConfig, timeout: float) -> Runner:
    from porter.reference import build_reference  # it imports this package
    from porter.reference.launcher import ReferenceLauncher

    executable = build_reference(config, paths.build_dir() / f"reference-{config.release}")
    launcher = ReferenceLauncher(
        executable.resolve(),
        heap=config.heap,
        pystack=config.pystack,
        stack=config.stack,
        timeout=math.ceil(timeout) + 1,  # its own limit is the second net
        gc_stress=config.gc_stress,
    )
    return ProcessRunner("reference", launcher, timeout)
