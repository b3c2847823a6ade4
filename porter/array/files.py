"""The file systems of an array's interpreters."""

from __future__ import annotations

import os

import attrs
from attrs import frozen

from porter.base.arguments import path
from porter.fs import Image
from porter.run import Device, Launch
from porter.run.device.base import Array
from porter.run.launch.filesystem import copies, image_of


@frozen(eq=False)
class FileSystems:
    """Images side by side in `memory` (bytes, on the device), of blocks of `block_size` bytes."""

    memory: Array
    block_size: int
    name: str

    def mounted(self, launch: Launch) -> Launch:
        """`launch` with them at "/"."""
        return attrs.evolve(launch, fs=self.memory, fs_shared=False, fs_block=self.block_size)

    def image(self, device: Device, n: int, index: int) -> Image:
        """A copy of image `index` of `n`."""
        return Image.of(image_of(device, self.memory, n, index), self.name)


def file_systems(device: Device, fs: str | os.PathLike[str] | Image, n: int) -> FileSystems:
    """`n` copies of an image, or of the image in a file. Raises FileProblem, NotEnoughMemory."""
    image = fs if isinstance(fs, Image) else Image.load(path(fs, "fs"))
    return FileSystems(copies(device, image.data, n), image.block_size, image.name)
