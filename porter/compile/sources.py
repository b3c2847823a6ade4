"""The sources of a build: rewritten units, the runtime's sources, headers."""

from __future__ import annotations

import hashlib
from pathlib import Path

from attrs import frozen

from porter.base.paths import templates_dir
from porter.errors import NotBuilt

# The functions of gpusnek.cuh, compiled for host and device.
KERNEL_RUNTIME = (
    "kernel_thread.cpp",
    "kernel_call.cpp",
    "kernel_life.cpp",
    "kernel_main.cpp",
    "kernel_output.cpp",
)
HOST_RUNTIME = (
    "host.cpp",
    "block.cpp",
    "turn.cpp",
    "fiber.cpp",
    "arena.cpp",
    "hooks_host.cpp",
    "fences_host.cpp",
    "trace_host.cpp",
    "profile_host.cpp",
    "gc_host.cpp",
    "kernel_host.cpp",
    *KERNEL_RUNTIME,
)
CUDA_RUNTIME = (
    "kernels.cu",
    "arrays.cu",
    *KERNEL_RUNTIME,
    "hooks.cu",
    "reconvergence.cu",
    "fences.cu",
)
GC_FLUSH = "gc_flush.cu"


@frozen
class Sources:
    """Absolute paths of a build's sources.

    Attributes:
        units: The rewriter's output.
        root: The folder of `units`.
        host_runtime: Sources of `templates/runtime` for the host twin.
        cuda_runtime: Sources of `templates/runtime` for the device build.
        gc_flush: The source of the collector's entry on the device.
        headers: All headers that a source may include.
        include: Folders for `-I`.
    """

    units: tuple[Path, ...]
    root: Path
    host_runtime: tuple[Path, ...]
    cuda_runtime: tuple[Path, ...]
    gc_flush: Path
    headers: tuple[Path, ...]
    include: tuple[Path, ...]

    @property
    def templates(self) -> Path:
        """The folder of templates, which contains `runtime`."""
        return self.gc_flush.parents[1]

    def object_name(self, source: Path, suffix: str) -> Path:
        """Return a relative path, unique to `source`, for an output made from it."""
        if source.is_relative_to(self.root):
            relative = source.relative_to(self.root)
            return relative.with_name(relative.name.removesuffix(".cpp") + suffix)
        return Path("runtime") / (source.name + suffix)

    def hashes(self) -> dict[str, str]:
        """Return the SHA-256 of every file, by a name that is independent of the build's folder."""
        every = (
            *self.units,
            *self.host_runtime,
            *self.cuda_runtime,
            self.gc_flush,
            *self.headers,
        )
        return {self._label(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in every}

    def _label(self, path: Path) -> str:
        if path.is_relative_to(self.root):
            return str(path.relative_to(self.root))
        return f"{path.parent.name}/{path.name}"


def find_sources(folder: Path, runtime: Path | None = None) -> Sources:
    """Find the sources of the build in `folder`.

    Args:
        folder: A folder in which the rewriter has run.
        runtime: Replaces `templates/runtime`.

    Raises:
        NotBuilt: The rewriter has not run there.
    """
    cxx = folder / "cxx"
    runtime = runtime or templates_dir() / "runtime"
    units = tuple(sorted(cxx.rglob("*.cpp")))
    if not units:
        raise NotBuilt(
            f"{cxx}: there are no rewritten units", hint="Run `porter build` from its start."
        )
    port = runtime.parent / "port"
    headers = [*cxx.rglob("*.h"), *runtime.glob("*.h"), *runtime.glob("*.inc")]
    headers += [*runtime.glob("*.hpp"), *runtime.glob("*.cuh")]
    headers += [port / "interp.h", port / "kernel_api.h"]
    return Sources(
        units=units,
        root=cxx,
        host_runtime=tuple(runtime / name for name in HOST_RUNTIME),
        cuda_runtime=tuple(runtime / name for name in CUDA_RUNTIME),
        gc_flush=runtime / GC_FLUSH,
        headers=tuple(sorted(headers)),
        include=(cxx, runtime, port),
    )
