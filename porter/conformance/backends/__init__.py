"""The runners: an interpreter per process, the host twin, and the GPU."""

from __future__ import annotations

from pathlib import Path

from porter.config import BuildConfig
from porter.conformance.backends.process import HostDirectoryLauncher, ProcessRunner
from porter.conformance.model import Runner

# The build that upstream's tests need: the largest heap is 384 KiB, the longest
# output 101 KiB (extmod/framebuf_polygon). Local memory is too small for such
# heaps together, so arenas are global unless asked for otherwise.
SIZES = {
    "heap": "512K",
    "stack": "64K",
    "pystack": "32K",
    "stdout": "128K",
    "arena": "global",
    "level": "everything",
}


def open_runner(config: BuildConfig, timeout: float, executable: Path | None = None) -> Runner:
    """The runner for ``config``, ``timeout`` in seconds a test; ``executable`` instead if given.

    Raises what building or loading the build raises.
    """
    if executable is not None:
        return ProcessRunner("executable", HostDirectoryLauncher(executable.resolve()), timeout)
    from porter.conformance.backends.build import BuildRunner  # loads a whole build

    return BuildRunner.open(config, timeout)
