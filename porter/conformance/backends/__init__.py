"""Runners for programs: one process per program, the host twin, and the GPU."""

from __future__ import annotations

from collections.abc import Mapping

from porter.base import arguments
from porter.base.sizes import KIB, format_size
from porter.compiler.options import CompilerOptions
from porter.config import BuildConfig
from porter.conformance.backends.process_runner import HostDirectoryLauncher, ProcessRunner
from porter.conformance.records import ScriptRunner
from porter.errors import UsageError

# Sizes of a build for upstream's tests: the largest heap is 384 KiB, the longest output 101 KiB
# (extmod/framebuf_polygon). Local memory cannot hold such heaps for a whole launch, so arenas are
# global by default.
SIZES = {
    "heap": "512K",
    "stack": "32K",
    "pystack": "32K",
    "stdout": "128K",
    "arena": "global",
    "level": "everything",
}


# With smaller sizes, tests fail although the build is correct.
NEEDS = {"heap": 384 * KIB, "stdout": 102 * KIB}


def short(sizes: Mapping[str, int]) -> str:
    """Describe which of `sizes` (bytes) are too small for all tests; "" if none is."""
    return ", ".join(
        f"--{name} {format_size(sizes[name])}, and they need {format_size(need)}"
        for name, need in NEEDS.items()
        if sizes[name] < need
    )


def check_sizes(sizes: Mapping[str, int]) -> None:
    """Raise UsageError unless interpreters of `sizes` (bytes) can run all of upstream's tests."""
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
    """Open the runner for ``target``; build first if necessary.

    Args:
        target: host or cuda. `porter_dev.reference` has the runner of the reference build.
        config: Configuration of the build.
        timeout: Seconds per test.
        executable: Executable to test instead of a build.
        folder: Finished build to test.
        variant: Variant of the host twin. ``asan`` requires
            `porter.toolchain.children` around the run.
        sizes: Sizes of interpreters (bytes) that differ from the build's.
        native: Options of the native compiler, if programs run as native code.

    Raises:
        PorterError: Building or loading the build fails.
    """
    executable = None if executable is None else arguments.path(executable, "executable")
    folder = None if folder is None else arguments.path(folder, "folder")
    if executable is not None:
        return ProcessRunner("executable", HostDirectoryLauncher(executable.resolve()), timeout)
    from porter.conformance.backends.build_runner import (
        BuildRunner,  # expensive: loads a whole build
    )

    if folder is None:
        from porter.pipeline import build  # needs the whole toolchain, which may be missing

        folder = build(config, variant=variant).folder
    target = target if variant == "release" else f"{target}-{variant}"
    return BuildRunner.open(
        folder, target, timeout, gc_stress=config.gc_stress, sizes=sizes or {}, native=native
    )


def skipped_patches(runner: ScriptRunner) -> frozenset[str]:
    """Return the patches that the tested build lacks; none for other executables."""
    found: frozenset[str] = getattr(runner, "skipped", frozenset())
    return found
