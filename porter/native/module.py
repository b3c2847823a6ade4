"""Machine code of one piece of bytecode, and what a launch of an array needs of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from attrs import field, frozen

from porter.run import Device
from porter.run.device.base import Array
from porter.run.launch.natives import Native


@frozen(eq=False)
class NativeModule:
    """Machine code of the bytecode of one source.

    text: the C++ that it is made of; path: where that is kept, None where it could not be. entries:
    of each byte of the bytecode the number of the entry there, 0 for none (uint16). run: as Native
    has it. cached: it was made before. seconds: by step. keep: what owns the machine code.
    """

    text: str = field(repr=False)
    path: Path | None
    entries: np.ndarray[tuple[int], np.dtype[np.uint16]] = field(repr=False)
    run: int = field(repr=False)
    cached: bool
    seconds: Mapping[str, float]
    keep: object = field(default=None, repr=False)

    def on(self, device: Device, memory: Array) -> Native:
        """For launches of an array on `device`, where the bytecode is in `memory`."""
        return Native(memory, device.array(self.entries), self.run, keep=self.keep)
