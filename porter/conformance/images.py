"""littlefs2 images that hold a test's files."""

from __future__ import annotations

from functools import lru_cache

from littlefs import LittleFS

# Small blocks keep images small: a directory costs two of them. 512 bytes are too
# few for littlefs to address io/data/bigfile1 without long block lists, but it does.
BLOCK_SIZE = 512
# What a test may write itself: extmod and io tests create a few small files.
FREE_BLOCKS = 24

Tree = tuple[tuple[str, bytes], ...]


def empty_image() -> bytes:
    """An image with nothing in it but room to write."""
    return build_image((), ())


@lru_cache(maxsize=64)
def build_image(tree: Tree, directories: tuple[str, ...]) -> bytes:
    """A littlefs2 image of ``tree`` (path, content), with empty ``directories`` made too.

    Same input, same bytes. The size is a multiple of ``BLOCK_SIZE``.
    """
    folders = sorted(_folders(tree, directories))
    blocks = 2 + 2 * len(folders) + FREE_BLOCKS
    blocks += sum(-(-len(data) // BLOCK_SIZE) + 1 for _, data in tree)
    fs = LittleFS(
        block_size=BLOCK_SIZE,
        block_count=blocks,
        read_size=BLOCK_SIZE // 16,
        prog_size=BLOCK_SIZE // 16,
        cache_size=BLOCK_SIZE // 4,
        lookahead_size=32,
    )
    for folder in folders:
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
