"""Build littlefs2 file-system images that hold a test's files.

The images include modules that upstream's tests import and that a build may lack.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

import attrs
from littlefs import LittleFS

from porter.base import arguments
from porter.conformance.records import Script

# Small blocks keep images small: a directory takes two blocks.
BLOCK_SIZE = 512
# Space for files that a test writes: extmod and io tests create a few small ones.
FREE_BLOCKS = 24

Tree = tuple[tuple[str, bytes], ...]


def build_images(programs: Sequence[Script]) -> list[bytes]:
    """Build one image per program, all of the same size, as one launch requires.

    littlefs rejects an image whose block count differs from the device's. So all images have the
    size of the largest one.
    """
    blocks = max((blocks_for(p.tree, (p.cwd,)) for p in programs), default=0)
    return [build_image(p.tree, (p.cwd,), blocks) for p in programs]


def blocks_for(tree: Tree, directories: tuple[str, ...]) -> int:
    """Return the number of blocks for ``tree``, ``directories`` and files that the test writes."""
    data = sum(-(-len(content) // BLOCK_SIZE) + 1 for _, content in tree)
    return 2 + 2 * len(_folders(tree, directories)) + data + FREE_BLOCKS


@lru_cache(maxsize=64)
def build_image(tree: Tree, directories: tuple[str, ...], blocks: int) -> bytes:
    """Build a littlefs2 image; equal arguments give equal bytes.

    Args:
        tree: Files, as pairs of path and content.
        directories: Directories that exist even without files.
        blocks: Size of the image in blocks.
    """
    fs = LittleFS(
        block_size=BLOCK_SIZE,
        block_count=blocks,
        read_size=BLOCK_SIZE // 16,
        prog_size=BLOCK_SIZE // 16,
        cache_size=BLOCK_SIZE // 4,
        lookahead_size=32,
    )
    for folder in sorted(_folders(tree, directories)):
        fs.mkdir("/" + folder)
    for name, data in tree:
        with fs.open("/" + name, "wb") as file:
            file.write(data)
    return bytes(fs.context.buffer)


def _folders(tree: Tree, directories: tuple[str, ...]) -> set[str]:
    found: set[str] = set()
    for path in [name.rpartition("/")[0] for name, _ in tree] + list(directories):
        parts = path.strip("/").split("/")
        found.update("/".join(parts[: i + 1]) for i in range(len(parts)) if parts[i])
    return found


FOLDER = "lib"  # folder in the image; last in sys.path, so that a frozen module takes precedence


@attrs.frozen
class Module:
    """An importable module: its name and its files, with paths relative to ``/``.

    Attributes:
        name: The module's name.
        tree: The module's files.
        replaces: Whether the files take the place of a module that the build has: they lie in the
            directory of the test, which is first in ``sys.path``.
    """

    name: str
    tree: Tree
    replaces: bool = False

    def wanted_by(self, source: bytes) -> bool:
        """Return whether ``source`` imports the module."""
        name = re.escape(self.name.encode())
        return re.search(rb"\b(?:import|from)\s+(\w+,\s*)*" + name + rb"\b", source) is not None


def modules(release: arguments.StrPath, frozen: arguments.StrPath) -> tuple[Module, ...]:
    """Return the available modules: upstream's asyncio and uasyncio, and porter's unittest.

    Upstream's unittest is in micropython-lib, which the distribution's source package lacks. The
    library's unittest prints CPython's summary, which upstream's runner does not read.

    Args:
        release: Upstream's source tree.
        frozen: Porter's folder of Python modules.
    """
    release = arguments.path(release, "release")
    frozen = arguments.path(frozen, "frozen")
    extmod = release / "extmod"
    # task.py is for builds without the C module _asyncio (extmod/asyncio/manifest.py).
    package = [p for p in sorted((extmod / "asyncio").glob("*.py")) if p.name != "task.py"]
    core = tuple(
        (f"{FOLDER}/asyncio/{p.name}", p.read_bytes()) for p in package if p.stem != "uasyncio"
    )
    found = [Module("asyncio", core)] if core else []
    alias = extmod / "asyncio" / "uasyncio.py"
    if alias.is_file():
        found.append(Module("uasyncio", (*core, (f"{FOLDER}/uasyncio.py", alias.read_bytes()))))
    unittest = frozen / "unittest.py"
    found.append(Module("unittest", (("unittest.py", unittest.read_bytes()),), replaces=True))
    return tuple(found)


def missing(
    wanted: Collection[Module],
    importable: Collection[str],
    source: bytes,
    tree: Tree,
    directory: str,
) -> Tree:
    """Add to ``tree`` the modules that ``source`` imports, unless the build has them.

    Args:
        wanted: Available modules.
        importable: Names of the modules that the build has.
        source: Text of the test.
        tree: Files of the test.
        directory: The test's directory, which is first in ``sys.path``.
    """
    added = dict(tree)
    for module in wanted:
        if not module.wanted_by(source):
            continue
        if module.replaces:
            added.update((f"{directory}/{name}", data) for name, data in module.tree)
        elif module.name not in importable:
            added.update(module.tree)
    return tuple(sorted(added.items()))
