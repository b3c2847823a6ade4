"""File systems of a launch: one image that all interpreters share, or one copy per interpreter.

`image` here is a littlefs image (porter.fs.Image), not a snapshot of an interpreter.
"""

from __future__ import annotations

import attrs
import numpy as np

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
