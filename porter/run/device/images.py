"""Images between launches: what none of them uses is given back, and taken again for a launch.

Word i of all images lies together (templates/runtime/image.cuh), so the rows that no interpreter
uses are the end of one array.
"""

from __future__ import annotations

from porter.base.sizes import format_size
from porter.errors import NotEnoughMemory
from porter.run.device.base import Arenas, Array, Device
from porter.run.footprint import WORD


def single(device: Device, arenas: Arenas, index: int) -> Arenas:
    """A copy of image `index` of `arenas` alone."""
    words = arenas.fields["image_words"]
    image = device.operations.column(arenas.keep.reshape(words, arenas.n), index)
    return Arenas(1, {"images": device.address(image)}, arenas.sizes, image)


def compact(device: Device, arenas: Arenas) -> Array:
    """A copy of all images of `arenas`, one row each, as many words as the fullest has."""
    rows = arenas.keep.reshape(arenas.fields["image_words"], arenas.n)
    if arenas.used is not None:
        rows = rows[: fullest(device, arenas)]
    return device.operations.transposed(rows)


def fullest(device: Device, arenas: Arenas) -> int:
    """Words of the fullest image of `arenas`."""
    return int(device.host(arenas.used).max())


def trim(device: Device, arenas: Arenas) -> int:
    """Keep as many rows of `arenas` as its fullest image has; returns the bytes given back."""
    words = arenas.fields["image_words"]
    if arenas.used is None or not arenas.started:
        return 0
    rows = fullest(device, arenas)
    if rows == 0 or rows >= words:
        return 0
    _move(device, arenas, rows)
    return (words - rows) * arenas.n * WORD


def grow(device: Device, arenas: Arenas) -> None:
    """Room for whatever a launch leaves in `arenas`. Raises NotEnoughMemory, losing nothing."""
    sizes = arenas.sizes
    words = device.figures.image(sizes["heap"]) // WORD
    if arenas.fields["image_words"] < words:
        try:
            _move(device, arenas, words)
        except MemoryError as error:
            need = words * arenas.n * WORD
            raise NotEnoughMemory(
                f"{arenas.n} trimmed interpreters need {format_size(need)} to go on",
                hint="They are as they were; free GPU memory and try again.",
            ) from error


def _move(device: Device, arenas: Arenas, words: int) -> None:
    moved = device.operations.resized(arenas.keep, words * arenas.n)
    arenas.keep = moved
    arenas.fields |= {"images": device.address(moved), "image_words": words}
