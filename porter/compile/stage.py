"""The compile stage as one call: sources, host twin, device build, `build.json`."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from attrs import frozen

from porter import toolchain
from porter.base import arguments
from porter.base.paths import templates_dir
from porter.base.telling import QUIET, Teller
from porter.compile.cuda import CudaBuild, build_cuda
from porter.compile.flags import REGISTERS
from porter.compile.headers import Enums, Structs
from porter.compile.host import HostBuild, build_host
from porter.compile.layout import PROBE, measure, read_layout, write_probe
from porter.compile.manifest import inputs, read_manifest, write_manifest
from porter.compile.sources import Sources, find_sources
from porter.config import BuildConfig
from porter.errors import ToolMissing, VerifyFailed
from porter.manifest import MANIFEST, NO_PATCHES, Patches, SharedLayout

# Headers that a user's own kernels include.
TRAVELLING = ("launch.h", "profile.h", "interp.h", "gpusnek.cuh", "gpusnek_host.hpp")


@frozen
class Compiled:
    """What the stage did: the build's folder, ninja steps per target, seconds, and a warning.

    `state` is the size of the state struct in bytes. `warning` says loudly what could not be
    checked as well as it should be; empty else.
    """

    folder: Path
    steps: dict[str, int]
    seconds: float
    state: int
    warning: str = ""

    @property
    def manifest(self) -> Path:
        """`build.json`: where it is, the build is whole."""
        return self.folder / MANIFEST


def compile_build(
    config: BuildConfig,
    folder: arguments.StrPath,
    *,
    variant: str = "release",
    jobs: int | None = None,
    registers: int = REGISTERS,
    runtime: arguments.StrPath | None = None,
    patches: Patches = NO_PATCHES,
    tell: Teller = QUIET,
) -> Compiled:
    """Compile `folder`/cxx for every target of `config`; the build is `folder`/`config.key()`.

    What compilers make lies in `folder`, where configurations share it; the build's own folder
    holds `build.json`, the launch headers and links to its outputs, and can be moved elsewhere.
    `variant` is the host twin's (release, debug, asan), `registers` caps registers per device
    thread, `runtime` replaces `templates/runtime`, `patches` are those of the sources, for
    `build.json`. `build.json` is taken away before anything
    changes and written last: where it is, the build is whole.

    Raises NoCompiler, NoNvcc, BuildFailed, NotBuilt; ToolMissing and ToolFailed of the
    preprocessor; VerifyFailed for machine code that fails the collector's check, and where a
    compiler sees another layout than the headers say.
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
            fences=config.fences,
            profile=config.profile,
            jobs=jobs,
            cache=toolchain.compiler_cache(),
            tell=tell,
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
            tell=tell,
        )
    layout = shared.checked(host, cuda)
    _copy_headers(out, sources)
    write_manifest(out, config, given, kept, layout, patches, host=host, cuda=cuda)
    steps = {"host": host.steps if host else 0, "cuda": cuda.steps if cuda else 0}
    return Compiled(out, steps, time.monotonic() - start, layout.state_size, _warning(cuda))


@frozen
class _Shared:
    """What the headers say that C and Python share, and the source that asks compilers of it."""

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
        """The layout, which every compiler that has built confirms. Raises VerifyFailed."""
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
    """The headers that describe a launch travel with the build: the runner reads them there."""
    include = folder / "include"
    include.mkdir(parents=True, exist_ok=True)
    for header in sources.headers:
        if header.name in TRAVELLING:
            shutil.copyfile(header, include / header.name)


def _joiner(config: BuildConfig) -> dict[str, str]:
    """The program that makes a fatbin, where one is wanted. Raises ToolMissing."""
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
