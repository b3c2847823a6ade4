"""The compile stage: from sources to host twin, device build and `build.json`, in one call.

Called by porter/pipeline.py after the rewrite stage.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

from porter import toolchain
from porter.base import arguments
from porter.base.deprecated import renamed_arguments
from porter.base.paths import templates_dir
from porter.base.progress import QUIET, ProgressReporter
from porter.compile.build_record import inputs, read_manifest, write_manifest
from porter.compile.cuda import CudaBuild, build_cuda
from porter.compile.flags import REGISTERS
from porter.compile.host import HostBuild, build_host
from porter.compile.shared_layout import PROBE, Enums, Structs, measure, read_layout, write_probe
from porter.compile.sources import Sources, find_sources
from porter.config import BuildConfig
from porter.errors import ToolMissing, VerifyFailed
from porter.manifest import INCLUDE, MANIFEST, NO_PATCHES, FrozenModule, Patches, SharedLayout

# Headers that users' kernels include; the build carries copies.
TRAVELLING = ("launch.h", "profile.h", "interp.h", "gpusnek.cuh", "gpusnek_host.hpp")


@frozen
class Compiled:
    """The result of the compile stage.

    Attributes:
        folder: The build's folder.
        steps: The number of ninja steps per target.
        seconds: The wall time.
        state: The size of the state struct in bytes.
        warning: Names a check that was weaker than usual; empty otherwise.
    """

    folder: Path
    steps: dict[str, int]
    seconds: float
    state: int
    warning: str = ""

    @property
    def manifest(self) -> Path:
        """The path of `build.json`; the build is complete if this file exists."""
        return self.folder / MANIFEST


@renamed_arguments(tell="progress")
def compile_build(
    config: BuildConfig,
    folder: arguments.StrPath,
    *,
    variant: str = "release",
    jobs: int | None = None,
    registers: int = REGISTERS,
    runtime: arguments.StrPath | None = None,
    patches: Patches = NO_PATCHES,
    modules: Sequence[FrozenModule] = (),
    progress: ProgressReporter = QUIET,
) -> Compiled:
    """Compile `folder`/cxx for every target of `config` to the build `folder`/`config.key()`.

    Compiler outputs are in `folder`, where configurations share them. The build's own folder holds
    `build.json`, the launch headers and links to the outputs; it can be moved. `build.json` is
    removed before anything changes and written last, so a folder with `build.json` is a complete
    build.

    Args:
        config: The build.
        folder: The folder of all builds of the release.
        variant: The variant of the host twin (release, debug, asan, traced).
        jobs: The number of parallel steps; None for one per core.
        registers: The cap on registers per device thread.
        runtime: Replaces `templates/runtime`.
        patches: The patches that the sources have, for `build.json`.
        modules: The frozen Python modules that the sources have, for `build.json`.
        progress: Receives progress reports.

    Raises:
        NoCompiler: There is no g++.
        NoNvcc: There is no nvcc.
        NotBuilt: The rewriter has not run.
        BuildFailed: A compiler or linker failed.
        ToolMissing, ToolFailed: The preprocessor is missing or failed.
        VerifyFailed: The device code fails the check of the collector's entry, or a compiler's
            layout differs from the headers.
    """
    folder = arguments.path(folder, "folder")
    runtime = None if runtime is None else arguments.path(runtime, "runtime")
    start = time.monotonic()
    sources = find_sources(folder, runtime)
    out = folder / config.key()
    manifest = out / MANIFEST
    given = inputs(config, sources)
    before = read_manifest(out)
    kept = before.get("targets", {}) if before and before.get("inputs") == given else {}
    if not kept:
        manifest.unlink(missing_ok=True)
    shared = _Shared.of(folder, sources)
    host: HostBuild | None = None
    cuda: CudaBuild | None = None
    if "host" in config.targets:
        compiler = str(toolchain.gxx().path)
        host = build_host(
            folder,
            sources,
            shared.probe,
            release=config.release,
            compiler=compiler,
            variant=variant,
            bounds_checks=config.bounds_checks,
            profile=config.profile,
            jobs=jobs,
            cache=toolchain.compiler_cache(),
            progress=progress,
        )
    if "cuda" in config.targets:
        cuda = build_cuda(
            config,
            folder,
            sources,
            shared.probe,
            nvcc=str(toolchain.nvcc().path),
            **_joiner(config),
            nvdisasm=_nvdisasm(),
            jobs=jobs,
            registers=registers,
            progress=progress,
        )
    layout = shared.checked(host, cuda)
    _copy_headers(out, sources)
    write_manifest(out, config, given, kept, layout, patches, modules, host=host, cuda=cuda)
    steps = {"host": host.steps if host else 0, "cuda": cuda.steps if cuda else 0}
    return Compiled(out, steps, time.monotonic() - start, layout.state_size, _warning(cuda))


@frozen
class _Shared:
    """The layout that C and Python share, and the probe that measures each compiler's layout."""

    structs: Structs
    enums: Enums
    probe: Path

    @classmethod
    def of(cls, folder: Path, sources: Sources) -> _Shared:
        """Read the headers and write the probe into `folder`."""
        runtime = sources.gc_flush.parent
        headers = (runtime / "launch.h", sources.templates / "port" / "interp.h")
        structs, enums = read_layout(*headers, templates_dir() / "libc")
        probe = folder / PROBE / f"{PROBE}.cpp"
        write_probe(probe, structs, enums)
        return cls(structs, enums, probe)

    def checked(self, host: HostBuild | None, cuda: CudaBuild | None) -> SharedLayout:
        """Return the layout after comparing it with every compiler's probe. Raises VerifyFailed."""
        probes = {"g++": host.probe} if host is not None else {}
        if cuda is not None:
            probes |= {f"nvcc for {name}": made.probe for name, made in cuda.machine.items()}
        found = {
            compiler: measure(probe, self.structs, self.enums, compiler)
            for compiler, probe in probes.items()
        }
        layout, *others = found.values()
        if any(other.state_size != layout.state_size for other in others):
            sizes = ", ".join(f"{name}: {one.state_size}" for name, one in found.items())
            raise VerifyFailed(f"porter_state_t has another size for each compiler: {sizes}")
        return layout


def _copy_headers(folder: Path, sources: Sources) -> None:
    """Copy the headers that describe a launch into the build, where the runner reads them."""
    include = folder / INCLUDE
    include.mkdir(parents=True, exist_ok=True)
    for header in sources.headers:
        if header.name in TRAVELLING:
            shutil.copyfile(header, include / header.name)


def _joiner(config: BuildConfig) -> dict[str, str]:
    """Return the argument `fatbinary` if the build needs a fatbin. Raises ToolMissing."""
    wanted = config.architectures.several
    return {"fatbinary": str(toolchain.cuda_tool("fatbinary").path)} if wanted else {}


def _nvdisasm() -> str | None:
    try:
        return str(toolchain.cuda_tool("nvdisasm").path)
    except ToolMissing:
        return None


def _warning(cuda: CudaBuild | None) -> str:
    readers = {made.flush.reader for made in cuda.machine.values()} if cuda is not None else set()
    if readers <= {"nvdisasm"}:
        return ""
    return (
        "no nvdisasm: the collector's saved registers were checked with porter's own reading of "
        "the machine code (build.json records it)"
    )
