"""The compile stage as one call: sources, host twin, device build, `build.json`."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from attrs import frozen

from porter import toolchain
from porter.compile.cuda import CudaBuild, build_cuda
from porter.compile.host import HostBuild, build_host
from porter.compile.manifest import MANIFEST, inputs, read_manifest, write_manifest
from porter.compile.sources import Sources, find_sources
from porter.config import BuildConfig
from porter.errors import ToolMissing


@frozen
class Compiled:
    """What the stage did: the manifest's path, ninja steps per target, seconds, and a warning.

    `warning` says loudly what could not be checked as well as it should be; empty else.
    """

    manifest: Path
    steps: dict[str, int]
    seconds: float
    warning: str = ""


def compile_build(
    config: BuildConfig,
    folder: Path,
    *,
    variant: str = "release",
    jobs: int | None = None,
    registers: int | None = None,
    runtime: Path | None = None,
) -> Compiled:
    """Compile `folder`/cxx for every target of `config`; `folder` is one build's folder.

    `variant` is the host twin's (release, debug, asan), `registers` caps registers per device
    thread, `runtime` replaces `templates/runtime`. `build.json` is taken away before anything
    changes and written last: where it is, the build is whole.

    Raises NoCompiler, NoNvcc, BuildFailed, VerifyFailed, NotBuilt.
    """
    start = time.monotonic()
    sources = find_sources(folder, runtime)
    manifest = folder / MANIFEST
    given = inputs(config, sources)
    before = read_manifest(folder)
    kept = before.get("targets", {}) if before and before.get("inputs") == given else {}
    if not kept:
        manifest.unlink(missing_ok=True)
    host: HostBuild | None = None
    cuda: CudaBuild | None = None
    if "host" in config.targets:
        compiler = str(toolchain.gxx().path)
        host = build_host(config, folder, sources, compiler=compiler, variant=variant, jobs=jobs)
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
        )
    _copy_headers(folder, sources)
    write_manifest(folder, config, given, kept, host=host, cuda=cuda)
    steps = {"host": host.steps if host else 0, "cuda": cuda.steps if cuda else 0}
    return Compiled(manifest, steps, time.monotonic() - start, _warning(cuda))


def _copy_headers(folder: Path, sources: Sources) -> None:
    """The headers that describe a launch travel with the build: the runner reads them there."""
    include = folder / "include"
    include.mkdir(exist_ok=True)
    for header in sources.headers:
        if header.name in ("launch.h", "interp.h"):
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
