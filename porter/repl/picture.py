"""Show `outbuf` as a picture: a PNG file, or a sketch in the terminal."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from rich.color import Color
from rich.console import Console
from rich.style import Style
from rich.text import Text

from porter.base import arguments
from porter.base.files import write_whole
from porter.errors import FileProblem, MissingPackage, UsageError

Pixels = np.ndarray[Any, Any]  # height x width x 3 uint8: red, green, blue
SKETCH_ROWS = 32  # maximum height of a sketch in terminal lines


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError as error:
        raise MissingPackage(
            f"Pillow does not load: {error}", hint="Install it: pip install pillow."
        ) from error
    return Image


def pixels(buffer: Pixels, width: int, height: int, *, rgb: bool = False) -> Pixels:
    """Return the picture in a buffer.

    Args:
        buffer: Bytes, 3 per pixel, row by row from the top.
        width: The width in pixels.
        height: The height in pixels.
        rgb: Whether pixels are red, green, blue. Otherwise they are blue, green, red, as in the
            paper's Figure 6.

    Raises:
        UsageError: The size is not positive, or exceeds the buffer.
    """
    need = width * height * 3
    if width < 1 or height < 1:
        raise UsageError(f"{width}x{height}: a picture is at least 1x1")
    if need > buffer.size:
        raise UsageError(f"{width}x{height} pixels take {need} bytes, and outbuf has {buffer.size}")
    picture = buffer[:need].reshape(height, width, 3)
    return picture if rgb else picture[:, :, ::-1]


def png_of(picture: Pixels) -> bytes:
    """Return `picture` as a PNG file; up to 256 colours are stored as a palette, losslessly."""
    image = _pillow()
    packed = picture.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32)
    colours, index = np.unique(packed, return_inverse=True)
    if len(colours) <= 256:
        drawn = image.fromarray(index.reshape(packed.shape).astype(np.uint8))
        parts = (colours[:, None] >> np.array([16, 8, 0], np.uint32)) & 255
        drawn.putpalette(parts.astype(np.uint8).tobytes())
    else:
        drawn = image.fromarray(np.ascontiguousarray(picture))
    file = io.BytesIO()
    drawn.save(file, format="PNG", optimize=True)
    return file.getvalue()


def save_png(picture: Pixels, path: arguments.StrPath) -> None:
    """Write `picture` to `path` as a PNG file. Raises FileProblem."""
    path = arguments.path(path, "path")
    data = png_of(picture)
    try:
        write_whole(path, data)
    except OSError as error:
        raise FileProblem(f"{path}: {error.strerror or error}") from error


def sketch(picture: Pixels, console: Console, rows: int = SKETCH_ROWS) -> None:
    """Draw `picture` with half blocks, two pixels per character, scaled down to fit."""
    height, width = picture.shape[:2]
    scale = min(1.0, console.width / width, 2 * rows / height)
    size = (max(1, int(width * scale)), max(1, int(height * scale)))
    image = _pillow().fromarray(np.ascontiguousarray(picture))
    small = np.asarray(image.resize(size, _pillow().Resampling.BOX))
    if len(small) % 2:
        small = np.concatenate([small, small[-1:]])
    for upper, lower in zip(small[::2], small[1::2], strict=True):
        line = Text(end="\n")
        for above, below in zip(upper.tolist(), lower.tolist(), strict=True):
            line.append(
                "\u2580", Style(color=Color.from_rgb(*above), bgcolor=Color.from_rgb(*below))
            )
        console.print(line, soft_wrap=True)
