"""Build littlefs2 file-system images that hold a test's files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from littlefs import LittleFS

from porter.conformance.model import Script

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
