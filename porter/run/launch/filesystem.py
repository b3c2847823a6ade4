"""File systems of a launch: one image for all interpreters, or a copy for each."""

from __future__ import annotations

import attrs
import numpy as np

from porter.base.sizes import format_size
from porter.errors import FileProblem, NotEnoughMemory
from porter.fs import Image
from porter.run.device.base import Array, Device
from porter.run.launch import plan
from porter.run.launch.spec import Launch


def mounted(launch: Launch, device: Device, image: Image, n: int, *, shared: bool) -> Launch:
    """`launch` with `image` at "/": `shared`, one that all can write in turn; else `n` copies.

    Raises NotEnoughMemory.
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
    """What `launch` left at "/" of interpreter `index` of `n`, to be saved as `name`.

    Raises FileProblem when it is no file system any more.
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
    """`n` copies of `image` side by side where interpreters can write them.

    Raises NotEnoughMemory, which says how many fit.
    """
    most = plan.free(device, plan.footprint(device, Launch())).left // len(image)
    if n > most:
        raise NotEnoughMemory(
            f"{n} file systems of {format_size(len(image))} do not fit",
            hint=f"At most {most} fit now; or make the image smaller.",
        )
    return device.operations.repeated(np.frombuffer(image, np.uint8), n)


def image_of(device: Device, memory: Array, n: int, index: int) -> bytes:
    """The image of interpreter `index` of `n` in `memory`, as it is now."""
    size = memory.size // n
    row: bytes = device.host(memory[index * size : (index + 1) * size]).tobytes()
    return row
