"""The runners: an interpreter per process, the host twin, and the GPU."""

from __future__ import annotations

import math
from collections.abc import Mapping

from porter.base import arguments, paths
from porter.base.sizes import KIB, format_size
from porter.compiler.options import CompilerOptions
from porter.config import BuildConfig
from porter.conformance.backends.process import HostDirectoryLauncher, ProcessRunner
from porter.conformance.model import ScriptRunner
from porter.errors import UsageError

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


# With less, tests fail although the build is right.
NEEDS = {"heap": 384 * KIB, "stdout": 102 * KIB}


def short(sizes: Mapping[str, int]) -> str:
    """What is too small among `sizes` (bytes) for all of upstream's tests; empty if nothing is."""
    return ", ".join(
        f"--{name} {format_size(sizes[name])}, and they need {format_size(need)}"
        for name, need in NEEDS.items()
        if sizes[name] < need
    )


def check_sizes(sizes: Mapping[str, int]) -> None:
    """UsageError unless all of upstream's tests can run in interpreters of `sizes` (bytes)."""
    if lack := short(sizes):
        options = " ".join(f"--{name} {SIZES[name]}" for name in NEEDS)
        raise UsageError(
            f"upstream's tests do not fit: {lack}",
            hint=f"Give {options}, or name the tests to run. Local arenas of a GPU hold less than "
            f"512K in all: --heap {format_size(NEEDS['heap'])} does there.",
        )


def open_runner(
    target: str,
    config: BuildConfig,
    timeout: float,
    executable: arguments.StrPath | None = None,
    folder: arguments.StrPath | None = None,
    variant: str = "release",
    sizes: Mapping[str, int] | None = None,
    native: CompilerOptions | None = None,
) -> ScriptRunner:
    """The runner for ``target`` (host, cuda, reference), ``timeout`` in seconds a test.

    ``executable`` is tested instead if given, or the finished build in ``folder``. What is
    not built is built first: raises what that or loading the build raises. ``variant`` is the
    host twin's; `porter.toolchain.sanitizer.children` must be around a run of ``asan``. ``sizes``:
    those of interpreters (bytes) that are not the build's. ``native``: programs run as machine
    code, made so.
    """
    executable = None if executable is None else arguments.path(executable, "executable")
    folder = None if folder is None else arguments.path(folder, "folder")
    if executable is not None:
        return ProcessRunner("executable", HostDirectoryLauncher(executable.resolve()), timeout)
    if target == "reference":
        return _reference(config, timeout)
    from porter.conformance.backends.build import BuildRunner  # loads a whole build

    if folder is None:
        from porter.pipeline import build  # the whole toolchain, which a bare machine lacks

        folder = build(config, variant=variant).folder
    target = target if variant == "release" else f"{target}-{variant}"
    return BuildRunner.open(
        folder, target, timeout, gc_stress=config.gc_stress, sizes=sizes or {}, native=native
    )


def skipped_patches(runner: ScriptRunner) -> frozenset[str]:
    """The patches that the tested build does without; none of what is no build of porter's."""
    found: frozenset[str] = getattr(runner, "skipped", frozenset())
    return found


def _reference(config: BuildConfig, timeout: float) -> ScriptRunner:
    from porter.conformance.backends.reference import ReferenceLauncher
    from porter.reference import build_reference  # it imports this package

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
