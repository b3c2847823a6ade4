"""The host twin as a GPU with local arenas, for tests of copies, images and order without a GPU."""

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
from porter.run.device.base import Arenas
from porter.run.device.host import HostTwin
from porter.run.device.images import grow, single, trim
from porter.run.footprint import WORD

if TYPE_CHECKING:
    from porter.pipeline import Build

SOURCE = Path(__file__).with_suffix(".cpp")


class LocalTwin(HostTwin):
    """Interpreters that run one after the other at one address, and rest as images."""

    local = True
    warp = 32

    def __init__(self, build: Build, library: Path) -> None:
        super().__init__(open_build(build.folder))
        self._library = ctypes.CDLL(str(library))
        self._library.gpusnek_launch.argtypes = (ctypes.c_void_p, ctypes.c_int)
        self.figures = attrs.evolve(self.figures, local_top=64)
        self.threads: list[int] = []  # of each launch

    def arenas(self, n: int, pystack: int, heap: int) -> Arenas:
        words = self.figures.image(heap) // WORD
        memory, used = np.zeros(words * n, np.uint64), np.zeros(n, np.uint32)
        fields = {
            "images": memory.ctypes.data,
            "image_words": words,
            "image_used": used.ctypes.data,
        }
        return Arenas(n, fields, {"pystack": pystack, "heap": heap}, memory, used=used)

    def single(self, arenas: Arenas, index: int) -> Arenas:
        return single(self, arenas, index)

    def trim(self, arenas: Arenas) -> int:
        return trim(self, arenas)

    def grow(self, arenas: Arenas) -> None:
        grow(self, arenas)

    def launch(self, record, threads):
        self.threads.append(threads)
        return super().launch(record, threads)


def local_twin(build: Build, folder: Path) -> LocalTwin:
    """Link the build's objects with what runs them so; the library is made in `folder`."""
    sources = find_sources(build.sources)
    made, library = folder / "local_twin.o", folder / "local_twin.so"
    includes = [f"-I{path}" for path in sources.include]
    compiler = ["g++", *host_compile(VARIANTS["release"]), *includes]
    subprocess.run([*compiler, "-c", SOURCE, "-o", made], check=True, timeout=300)
    linked = (*sources.units, *(path for path in sources.host_runtime if path.name != "host.cpp"))
    objects = [build.sources / "host" / "obj" / sources.object_name(path, ".o") for path in linked]
    link = host_link(VARIANTS["release"])
    subprocess.run(["g++", "-o", library, *objects, made, *link], check=True, timeout=300)
    return LocalTwin(build, library)
