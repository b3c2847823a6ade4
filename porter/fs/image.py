"""A littlefs2 image in memory: loaded from a file, changed, written back as a whole."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import Any

import littlefs
from attrs import frozen

from porter.base import arguments
from porter.base.files import write_whole
from porter.base.sizes import format_size
from porter.errors import FileProblem, UsageError, WrongType

BLOCK_SIZE = 512  # bytes; the default of the port's block device
LEAST_BLOCKS = 2  # littlefs' superblock is a pair of blocks
SPARE = 1.25  # an image made from a folder has a quarter more than its files need
LARGEST = 1 << 30  # maximum bytes of an image

# Message and hint by littlefs' error code.
_REFUSED = {
    -17: ("there is a file of that name", None),
    -20: ("a file stands where a folder is needed", None),
    -21: ("it is a folder", None),
    -28: (
        "the image is full",
        "Is the image too small? `porter fs build --size` makes a larger one.",
    ),
    -36: ("a name is longer than 255 bytes", None),
}

# The superblock's entry (littlefs' SPEC.md): revision, tag, "littlefs", tag; then version, block
# size and block count as little-endian words. Offsets in bytes.
_MAGIC_AT, _GEOMETRY_AT = 8, 24


@frozen
class Entry:
    """A file or folder of an image: path without a leading slash, size in bytes."""

    path: str
    size: int
    folder: bool


class Image:
    """A littlefs2 file system of `block_count` blocks of `block_size` bytes."""

    def __init__(self, data: bytes | bytearray, block_size: int, name: str) -> None:
        self.block_size = block_size
        self.name = name
        context = littlefs.UserContext(buffer=bytearray(data))
        self._fs = littlefs.LittleFS(
            context, mount=False, **_geometry(block_size, len(data) // block_size)
        )
        self._context = context

    @classmethod
    def empty(cls, size: int, block_size: int = BLOCK_SIZE, name: str = "image") -> Image:
        """Return a new file system of `size` bytes, rounded down to whole blocks.

        Raises:
            UsageError: The size or the block size is invalid.
            WrongType: One of them is no integer.
        """
        size = arguments.index(size, "size", "a size")
        block_size = arguments.index(block_size, "block_size", "a size")
        if block_size < 128 or block_size & (block_size - 1):
            raise UsageError(f"block size {block_size}: a power of two from 128 on is needed")
        blocks = size // block_size
        if blocks < LEAST_BLOCKS:
            raise UsageError(
                f"size: {size} bytes are too small: the minimum is {LEAST_BLOCKS} blocks of "
                f"{block_size}"
            )
        if size > LARGEST:
            raise UsageError(f"size: the maximum is {format_size(LARGEST)}")
        image = cls(b"\xff" * (blocks * block_size), block_size, name)
        image._fs.format()
        image._fs.mount()
        return image

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Image:
        """Return the image in the file `path`. Raises FileProblem if it is no image; WrongType."""
        path = arguments.path(path, "path")
        try:
            data = path.read_bytes()
        except OSError as error:
            raise FileProblem(f"{path}: {error.strerror}") from error
        return cls.of(data, str(path))

    @classmethod
    def of(cls, data: bytes, name: str) -> Image:
        """Return the image in `data`; `name` is for messages. Raises FileProblem if it is none."""
        block_size, block_count = _superblock(data, name)
        image = cls(data[: block_size * block_count], block_size, name)
        try:
            image._fs.mount()
            # Complete operations that a power cut interrupted; until then a name can be hidden.
            littlefs.lfs.fs_mkconsistent(image._fs.fs)
        except littlefs.LittleFSError as error:
            raise FileProblem(f"{name}: damaged littlefs image: {error}") from error
        return image

    @property
    def data(self) -> bytes:
        """The whole image."""
        return bytes(self._context.buffer)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the image to `path` atomically. Raises FileProblem, WrongType."""
        path = arguments.path(path, "path")
        try:
            write_whole(path, self.data)
        except OSError as error:
            raise FileProblem(f"{path}: {error.strerror}") from error

    def entry(self, path: str) -> Entry:
        """Return the file or folder at `path`. Raises FileProblem if there is none."""
        name = _absolute(path)
        try:
            info = self._fs.stat(name)
        except (littlefs.LittleFSError, OSError) as error:
            raise FileProblem(f"{self.name}: there is no {name} in the image") from error
        folder = info.type == 2  # LFS_TYPE_DIR
        return Entry(name.lstrip("/"), 0 if folder else int(info.size), folder)

    def walk(self, path: str = "/") -> Iterator[Entry]:
        """Yield all entries at and below `path`, folders before their content, sorted by name."""
        top = self.entry(path)
        if not top.folder:
            yield top
            return
        if top.path:
            yield top
        for name in sorted(self._fs.listdir("/" + top.path)):
            yield from self.walk(f"{top.path}/{name}")

    def read(self, path: str) -> bytes:
        """Return the content of a file. Raises FileProblem."""
        entry = self.entry(path)
        if entry.folder:
            raise FileProblem(f"{self.name}: /{entry.path} is a folder")
        with self._fs.open("/" + entry.path, "rb") as file:
            content: bytes = file.read()
        return content

    def write(self, path: str, content: bytes) -> None:
        """Write a file and create missing parent folders.

        After an error the image in memory may be inconsistent: do not save it.

        Raises:
            FileProblem: The image is full, or `path` cannot be written.
            WrongType: `path` is no path.
        """
        if not isinstance(content, bytes | bytearray | memoryview):
            raise WrongType(f"content: {type(content).__name__} is not bytes")
        name = _absolute(path)
        self.make_folder(str(PurePosixPath(name).parent))
        what = f"{name} ({format_size(len(content))})"
        with self._writing(what), self._fs.open(name, "wb") as file:
            file.write(content)

    def make_folder(self, path: str) -> None:
        """Create the folder at `path` and its parents, unless they exist. Raises FileProblem."""
        name = _absolute(path)
        if name != "/":
            with self._writing(name):
                self._fs.makedirs(name, exist_ok=True)

    @contextmanager
    def _writing(self, what: str) -> Iterator[None]:
        try:
            yield
        except littlefs.LittleFSError as error:
            why, hint = _REFUSED.get(error.code, (str(error), None))
            raise FileProblem(f"{self.name}: {what} cannot be written: {why}", hint=hint) from error
        except OSError as error:  # littlefs-python maps some of littlefs' errors to OSError
            why = str(error) or "it is a folder"
            raise FileProblem(f"{self.name}: {what} cannot be written: {why}") from error


def size_for(tree: list[tuple[str, bytes | None]], block_size: int = BLOCK_SIZE) -> int:
    """Return the size in bytes of an image for `tree` (path, content; None for folders)."""
    blocks = LEAST_BLOCKS + 2
    for _, content in tree:
        # A file needs its blocks and an entry of its folder; a folder is a pair of blocks.
        blocks += 2 if content is None else -(-len(content) // (block_size - 8)) + 1
    return int(blocks * SPARE + 4) * block_size


def _geometry(block_size: int, block_count: int) -> dict[str, Any]:
    # Small reads and writes, as in the port's block device. They are not stored in the image.
    small = max(16, block_size // 16)
    return {
        "block_size": block_size,
        "block_count": block_count,
        "read_size": small,
        "prog_size": small,
        "cache_size": block_size // 4,
        "lookahead_size": 32,
    }


def _superblock(data: bytes, name: str) -> tuple[int, int]:
    if data[_MAGIC_AT : _MAGIC_AT + 8] != b"littlefs" or len(data) < _GEOMETRY_AT + 8:
        raise FileProblem(
            f"{name}: not a littlefs2 image", hint="`porter fs build FOLDER IMAGE` makes one."
        )
    block_size, block_count = struct.unpack_from("<II", data, _GEOMETRY_AT)
    if not 128 <= block_size <= 1 << 20 or block_size * block_count > len(data):
        raise FileProblem(
            f"{name}: the image says {block_count} blocks of {block_size} bytes, the file has "
            f"{len(data)} bytes"
        )
    return block_size, block_count


def _absolute(path: str) -> str:
    path = arguments.path_text(path, "path")
    parts = [part for part in PurePosixPath(path).parts if part not in ("/", ".")]
    if ".." in parts or "\0" in path:
        raise UsageError(f"{path}: not a path inside an image")
    return "/" + "/".join(parts)
