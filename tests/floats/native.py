"""The port's float conversions, compiled for this machine, for many numbers at once."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from porter.base import paths
from porter.config import BuildConfig
from porter.generate.port import Wishes, render_port, template_values

Bits = NDArray[np.uint64]
SOURCES = ["shortest", "expansion", "layout", "nearest", "powers"]
FLAGS = ["-std=gnu99", "-O2", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-fPIC", "-shared"]


@frozen
class Width:
    """A binary format: bits of its mantissa, exponents of the last bit of its extreme numbers.

    Upstream's reader takes digits while their value is below `most`.
    """

    mantissa: int
    lowest: int
    highest: int
    most: int


WIDTHS = {
    "double": Width(53, -1074, 971, 0x1999999999999998),
    "single": Width(24, -149, 104, 0x19999998),
}


class Native:
    """The conversions of builds with floats of `width`, compiled in `folder`."""

    def __init__(self, width: str, folder: Path) -> None:
        port = folder / f"port-{width}"
        config = BuildConfig(release="any", float=width)
        render_port(paths.templates_dir() / "port", template_values(config), port, Wishes())
        library = folder / f"{width}.so"
        sources = [port / f"decimal_{name}.c" for name in SOURCES]
        harness = Path(__file__).with_name("harness.c")
        command: list[str | Path] = ["gcc", *FLAGS, "-I", port, harness, *sources, "-o", library]
        subprocess.run(command, check=True)
        self.width = WIDTHS[width]
        self._library = ctypes.CDLL(str(library))
        self._library.format_all.restype = ctypes.c_size_t

    def lines(self, numbers: Bits, style: str, precision: int = 0, point: bool = False) -> bytes:
        """Return a line for each of `numbers` (bits without a sign); `style` is a letter."""
        width = self.width
        digits = precision if style in "eg" else precision + 310
        buffer = ctypes.create_string_buffer(len(numbers) * (30 + digits * (style != "r")) + 1)
        whole = np.ascontiguousarray(numbers, np.uint64)
        format_of = (width.mantissa, width.lowest, ctypes.c_char(style.encode()), precision)
        pointer = ctypes.c_void_p(whole.ctypes.data)
        count = ctypes.c_size_t(len(whole))
        size = self._library.format_all(pointer, count, *format_of, int(point), buffer)
        return ctypes.string_at(buffer, size)

    def read(self, lines: Sequence[str]) -> Bits:
        """Return the bits of the numbers nearest to those of `lines`."""
        width = self.width
        text = "".join(f"{line}\n" for line in lines).encode()
        numbers = np.zeros(len(lines), np.uint64)
        pointer = ctypes.c_void_p(numbers.ctypes.data)
        ends = (width.mantissa, width.lowest, width.highest, ctypes.c_uint64(width.most))
        self._library.read_all(text, ctypes.c_size_t(len(lines)), *ends, pointer)
        return numbers
