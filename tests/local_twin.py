"""The host twin as a GPU with local arenas, to test copies, snapshots and order without a GPU."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import numpy as np

from porter.compile.flags import VARIANTS, host_compile, host_link
from porter.compile.sources import find_sources
from porter.run.built import open_build
from porter.run.device.base import Arenas, Chunks, Record, RunningKernels, SnapshotCopy
from porter.run.device.chunks import ChunkedKernels, SnapshotChunks, chunks_for
from porter.run.device.cuda_operations import BLOCK
from porter.run.device.host import HostRunning, HostTwin
from porter.run.device.snapshots import SnapshotStore
from tests.strict_cupy import array_kernel, arrays_library

if TYPE_CHECKING:
    from porter.pipeline import Build

SOURCE = Path(__file__).with_suffix(".cpp")


def store_of(arenas: Arenas) -> SnapshotStore:
    """Return the snapshots of idle interpreters."""
    assert isinstance(arenas.store, SnapshotStore)
    return arenas.store


class LocalTwin(HostTwin):
    """Interpreters that run one after the other at one address, with snapshots in between."""

    local = True
    warp = 32

    def __init__(self, build: Build, library: Path, arrays: ctypes.CDLL) -> None:
        super().__init__(open_build(build.folder))
        self._library = ctypes.CDLL(str(library))
        self._library.gpusnek_launch.argtypes = (ctypes.c_void_p, ctypes.c_int)
        self.figures = attrs.evolve(self.figures, local_top=64)
        self._arrays = arrays
        self.chunks = chunks_for
        self.threads: list[int] = []  # of each launch
        self.kernels: list[tuple[int, int]] = []  # first thread, number of threads

    def arenas(self, n: int, pystack: int, heap: int) -> Arenas:
        store = SnapshotStore.allocate(self, n, heap, self._kernel)
        return Arenas(n, {"pystack": pystack, "heap": heap}, store)

    def _kernel(self, name: str, threads: int, *arguments: int) -> None:
        array_kernel(self._arrays, name)(
            (-(-threads // BLOCK),), (BLOCK,), tuple(map(np.uint64, arguments))
        )

    def single(self, arenas: Arenas, index: int) -> SnapshotCopy:
        return store_of(arenas).single(index)

    def trim(self, arenas: Arenas) -> int:
        return store_of(arenas).trim() if arenas.started else 0

    def grow(
        self, arenas: Arenas, threads: int, block: int, spare: int | None, *, whole: bool
    ) -> Chunks | None:
        is_first = not arenas.started
        return self.chunks(store_of(arenas), threads, block, spare, is_first=is_first, whole=whole)

    def launch(
        self, record: Record, threads: int, chunks: Chunks | None = None, *, urgent: bool = False
    ) -> RunningKernels:
        self.threads.append(threads)
        if chunks is None:
            return HostRunning(self._library, record, threads)
        assert isinstance(chunks, SnapshotChunks)
        store = chunks.store

        def start(first: int, count: int) -> RunningKernels:
            mine = record.copy()
            mine["offset"], mine["snapshot_segments"] = first, store.fields["snapshot_segments"]
            self.kernels.append((first, count))
            return HostRunning(self._library, mine, count)

        running = ChunkedKernels(chunks, threads, start)
        store.used_by(running)
        return running


def local_twin(build: Build, folder: Path) -> LocalTwin:
    """Link the build's objects with the local twin's runtime; write the library to `folder`."""
    sources = find_sources(build.sources)
    made, library = folder / "local_twin.o", folder / "local_twin.so"
    includes = [f"-I{path}" for path in sources.include]
    compiler = ["g++", *host_compile(VARIANTS["release"]), *includes]
    subprocess.run([*compiler, "-c", SOURCE, "-o", made], check=True, timeout=300)
    linked = (*sources.units, *(path for path in sources.host_runtime if path.name != "host.cpp"))
    objects = [build.sources / "host" / "obj" / sources.object_name(path, ".o") for path in linked]
    link = host_link(VARIANTS["release"])
    subprocess.run(["g++", "-o", library, *objects, made, *link], check=True, timeout=300)
    return LocalTwin(build, library, arrays_library(folder))
