"""The compile stage as one call: sources, host twin, device build, `build.json`."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from attrs import frozen

from porter import toolchain
from porter.base.telling import QUIET, Teller
from porter.compile.cuda import CudaBuild, build_cuda
from porter.compile.flags import REGISTERS
from porter.compile.host import HostBuild, build_host
from porter.compile.manifest import MANIFEST, inputs, read_manifest, write_manifest
from porter.compile.sources import Sources, find_sources
from porter.compile.statesize import STATE_HEADER, state_bytes
from porter.config import BuildConfig
from porter.errors import ToolMissing

# Headers that the runner reads, and that a user's own kernels include.
TRAVELLING = ("launch.h", "interp.h", "gpusnek.cuh", "gpusnek_host.hpp")


@frozen
class Compiled:
    """What the stage did: the build's folder, ninja steps per target, seconds, and a warning.

    `state` is the size of the state struct in bytes, None where it cannot be told. `warning` says
    loudly what could not be checked as well as it should be; empty else.
    """

    folder: Path
    steps: dict[str, int]
    seconds: float
    state: int | None = None
    warning: str = ""

    @property
    def manifest(self) -> Path:
        """`build.json`: where it is, the build is whole."""
        return self.folder / MANIFEST


def compile_build(
    config: BuildConfig,
    folder: Path,
    *,
    variant: str = "release",
    jobs: int | None = None,
    registers: int = REGISTERS,
    runtime: Path | None = None,
    tell: Teller = QUIET,
) -> Compiled:
    """Compile `folder`/cxx for every target of `config`; the build is `folder`/`config.key()`.

    What compilers make lies in `folder`, where configurations share it; the build's own folder
    holds `build.json`, the launch headers and links to its outputs, and can be moved elsewhere.
    `variant` is the host twin's (release, debug, asan), `registers` caps registers per device
    thread, `runtime` replaces `templates/runtime`. `build.json` is taken away before anything
    changes and written last: where it is, the build is whole.

    Raises NoCompiler, NoNvcc, BuildFailed, VerifyFailed, NotBuilt.
    """
    start = time.monotonic()
    sources = find_sources(folder, runtime)
    out = folder / config.key()
    manifest = out / MANIFEST
    given = inputs(config, sources)
    before = read_manifest(out)
    kept = before.get("targets", {}) if before and before.get("inputs") == given else {}
    if not kept:
        manifest.unlink(missing_ok=True)
    host: HostBuild | None = None
    cuda: CudaBuild | None = None
    if "host" in config.targets:
        compiler = str(toolchain.gxx().path)
        host = build_host(folder, sources, compiler=compiler, variant=variant, jobs=jobs, tell=tell)
    nvdisasm = _nvdisasm() if "cuda" in config.targets else None
    if "cuda" in config.targets:
        cuda = build_cuda(
            config,
            folder,
            sources,
            nvcc=str(toolchain.nvcc().path),
            nvdisasm=nvdisasm,
            jobs=jobs,
            registers=registers,
            tell=tell,
        )
    _copy_headers(out, sources)
    write_manifest(out, config, given, kept, host=host, cuda=cuda)
    steps = {"host": host.steps if host else 0, "cuda": cuda.steps if cuda else 0}
    state = state_bytes(sources.root / STATE_HEADER)
    return Compiled(out, steps, time.monotonic() - start, state, _warning(cuda))


def _copy_headers(folder: Path, sources: Sources) -> None:
    """The headers that describe a launch travel with the build: the runner reads them there."""
    include = folder / "include"
    include.mkdir(parents=True, exist_ok=True)
    for header in sources.headers:
        if header.name in TRAVELLING:
            shutil.copyfile(header, include / header.name)


def _nvdisasm() -> str | None:
    try:
        return str(toolchain.cuda_tool("nvdisasm").path)
    except ToolMissing:
        return None


def _warning(cuda: CudaBuild | None) -> str:
    if cuda is None or cuda.flush.reader == "nvdisasm":
        return ""
    return (
        "no nvdisasm: the collector's saved registers were checked with porter's own reading of "
        "the machine code (build.json records it)"
    )
