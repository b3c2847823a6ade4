"""File systems of a launch: one image that all interpreters share, or one copy per interpreter.

`image` here is a littlefs image (porter.fs.Image), not a snapshot of an interpreter.
"""

from __future__ import annotations

import os

import attrs
import numpy as np
from attrs import frozen

from porter.base.arguments import path
from porter.base.sizes import format_size
from porter.errors import FileProblem, NotEnoughMemory
from porter.fs import Image
from porter.run.device.base import Array, Device
from porter.run.launch import plan
from porter.run.launch.options import Launch


def mounted(launch: Launch, device: Device, image: Image, n: int, *, shared: bool) -> Launch:
    """Return `launch` with a file system at "/".

    Args:
        launch: The launch.
        device: The device that will run it.
        image: The file system's content.
        n: Number of interpreters.
        shared: Mount one image in all interpreters, which write to it in turn; else `n` copies.

    Raises:
        NotEnoughMemory: The copies do not fit.
    """
    if shared:
        return attrs.evolve(
            launch,
            fs=device.array(np.frombuffer(image.data, np.uint8)),
            fs_shared=True,
            fs_block=image.block_size,
            fs_guard=device.zeros(1, np.uint64),
        )
    memory = copies(device, image.data, n)
    return attrs.evolve(launch, fs=memory, fs_shared=False, fs_block=image.block_size)


def written(launch: Launch, device: Device, n: int, index: int, name: str) -> Image:
    """Read the file system of an interpreter back after a launch.

    Args:
        launch: A launch that `mounted` returned.
        device: The device that ran it.
        n: Number of interpreters.
        index: The interpreter.
        name: The file to which the caller will save it, for messages.

    Raises:
        FileProblem: The content is no valid file system any more.
    """
    assert launch.fs is not None
    if launch.fs_shared:
        data = device.host(launch.fs).tobytes()
    else:
        data = image_of(device, launch.fs, n, index)
    try:
        return Image.of(data, name)
    except FileProblem as error:
        raise FileProblem(f"not saved: what interpreter {index} left is damaged: {error}") from None


def copies(device: Device, image: bytes, n: int) -> Array:
    """Return `n` consecutive copies of `image` in memory that interpreters can write.

    Raises:
        NotEnoughMemory: The copies do not fit; the hint says how many do.
    """
    most = plan.free(device, plan.footprint(device, Launch())).left // len(image)
    if n > most:
        raise NotEnoughMemory(
            f"{n} file systems of {format_size(len(image))} do not fit",
            hint=f"At most {most} fit now; or make the image smaller.",
        )
    return device.operations.repeated(np.frombuffer(image, np.uint8), n)


def image_of(device: Device, memory: Array, n: int, index: int) -> bytes:
    """Return the current image of interpreter `index` of `n` in `memory`."""
    size = memory.size // n
    row: bytes = device.host(memory[index * size : (index + 1) * size]).tobytes()
    return row


__all__ = ["copies", "image_of", "mounted", "written"]


@frozen(eq=False)
class FileSystems:
    """Consecutive littlefs images of all interpreters.

    Attributes:
        memory: The images, as bytes on the device.
        block_size: Bytes of a littlefs block.
        name: The source's name, for messages.
    """

    memory: Array
    block_size: int
    name: str

    def mounted(self, launch: Launch) -> Launch:
        """Return `launch` with these file systems at "/"."""
        return attrs.evolve(launch, fs=self.memory, fs_shared=False, fs_block=self.block_size)

    def image(self, device: Device, n: int, index: int) -> Image:
        """Return a copy of image `index` of `n`."""
        return Image.of(image_of(device, self.memory, n, index), self.name)


def file_systems(device: Device, fs: str | os.PathLike[str] | Image, n: int) -> FileSystems:
    """Make `n` copies of an image, or of the image in a file.

    Raises:
        FileProblem: The file holds no valid image.
        NotEnoughMemory: The copies do not fit.
    """
    image = fs if isinstance(fs, Image) else Image.load(path(fs, "fs"))
    return FileSystems(copies(device, image.data, n), image.block_size, image.name)
