"""File systems of a launch: one copy of an image for every interpreter."""

from __future__ import annotations

import numpy as np

from porter.errors import NotEnoughMemory
from porter.run.device import Array, Device
from porter.sizes import format_size


def copies(device: Device, image: bytes, n: int) -> Array:
    """`n` copies of `image` side by side where interpreters can write them.

    Raises NotEnoughMemory, which says how many fit.
    """
    config = device.built.config
    sizes = (int(config[name]) for name in ("pystack", "heap", "stack"))
    room = device.room(*sizes)
    most = max(0, room.free - room.fixed) // len(image)
    if n > most:
        raise NotEnoughMemory(
            f"{n} file systems of {format_size(len(image))} do not fit",
            hint=f"At most {most} fit now; or make the image smaller.",
        )
    return device.xp.tile(device.array(np.frombuffer(image, np.uint8)), n)


def image_of(device: Device, memory: Array, n: int, index: int) -> bytes:
    """The image of interpreter `index` of `n` in `memory`, as it is now."""
    size = memory.size // n
    row: bytes = device.host(memory[index * size : (index + 1) * size]).tobytes()
    return row
