"""Display `outbuf` as a picture below a cell."""

from __future__ import annotations

from typing import Any

import numpy as np
from IPython.display import display

from porter.errors import UsageError
from porter.notebook.kept import PIXEL, CellInterpreters
from porter.notebook.options import SQUARE
from porter.repl.picture import pixels, png_of

LEAST_SIDE = 256  # pixels; smaller pictures are enlarged by an integer factor


def show_outbuf(array: CellInterpreters, size: tuple[int, int] | str) -> None:
    """Display the outbuf of `array` as a PNG.

    Args:
        array: The interpreters.
        size: Width and height in pixels, or SQUARE for the largest square in outbuf.

    Raises:
        UsageError: There is no outbuf, or it is too small.
    """
    if array.outbuf is None:
        raise UsageError("--image: these interpreters have no outbuf", hint="Give --outbuf SIZE.")
    buffer = array.device.host(array.outbuf)
    if isinstance(size, str):
        assert size == SQUARE
        side = int((buffer.size // PIXEL) ** 0.5)
        if not side:
            raise UsageError(f"--image: outbuf of {buffer.size} bytes has no room for a pixel")
        size = (side, side)
    picture = pixels(buffer, *size)
    factor = max(1, -(-LEAST_SIDE // max(size)))
    large = np.repeat(np.repeat(picture, factor, axis=0), factor, axis=1)
    text = f"outbuf: {size[0]}x{size[1]} pixels"
    data: dict[str, Any] = {"image/png": png_of(large), "text/plain": text}
    display(data, raw=True)
