"""A trial run: what a program's values are, as an interpreter sees them, before it is compiled.

It is a hint, no promise: machine code tests what it assumes. So whatever a trial comes to, it
never matters to what the program does.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

import attrs
import numpy as np
from attrs import field, frozen

from porter.errors import PorterError
from porter.run import Device, Launch, run
from porter.run.device.base import Array
from porter.run.launch.binding import Binding
from porter.run.launch.filesystem import copies, image_of
from porter.run.launch.natives import Native
from porter.run.launch.spec import SIZES, Phase

STEPS, SECONDS = 20_000, 0.25  # of the program
TIMEOUT = 1.0  # seconds of the whole trial
MOST_FILES = 16 << 20  # bytes of a file system that is copied for it


@frozen(eq=False)
class ProgramTrial:
    """A program's trial: its code and kind, launches of its interpreters, and their globals.

    n: how many interpreters will run it. bindings: stand-ins, which the trial may write to.
    """

    device: Device
    memory: Array = field(repr=False)
    kind: str
    launch: Launch = field(repr=False)
    n: int
    bindings: Sequence[Binding] = ()

    @property
    def key(self) -> str:
        """Names what a trial is made of, but for values: they seldom change what is seen."""
        globals_ = sorted((b.name, b.kind, b.typecode) for b in self.bindings)
        values = [self.kind, self.launch.sandbox, self.launch.fs is not None, globals_]
        return hashlib.sha256(json.dumps([STEPS, values]).encode()).hexdigest()

    def seen(self) -> bytes:
        """Of each byte of the code what was on top of the stack there; empty: nothing is known."""
        device, size = self.device, int(self.memory.nbytes)
        try:
            seen = device.zeros(size, np.uint8)
            native = Native(self.memory, device.zeros(size, np.uint16), seen=seen)
            phase = Phase(compiled=self.memory, natives=[native], bindings=self.bindings)
            run(device, [], 1, self._launch(), phase)
            found: bytes = device.host(seen).tobytes()
            return found if any(found) else b""
        except PorterError:
            return b""

    def _launch(self) -> Launch:
        sizes = {name: getattr(self.launch, name) for name in SIZES}
        alone = Launch(
            **{**sizes, "stdout": 0, "stderr": 0},
            kind=self.kind,
            total=self.n,
            seed=self.launch.seed,
            sandbox=self.launch.sandbox,
            max_steps=STEPS,
            deadline=SECONDS,
            timeout=TIMEOUT,
        )
        files = self.launch.fs
        if files is None:
            return alone
        shared = self.launch.fs_shared
        size = files.nbytes if shared else files.nbytes // self.n
        if size > MOST_FILES:
            return alone
        image = image_of(self.device, files, 1 if shared else self.n, 0)
        block = self.launch.fs_block
        own = copies(self.device, image, 1)
        return attrs.evolve(alone, fs=own, fs_shared=False, fs_block=block)
