"""File systems of an array's interpreters."""

from __future__ import annotations

import os

import attrs
from attrs import frozen

from porter.base.arguments import path
from porter.fs import Image
from porter.run import Device, Launch
from porter.run.device.base import Array
from porter.run.filesystem import copies, image_of


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
