"""The profiling run: one interpreter runs a program briefly and collects type feedback.

The translator speculates on this feedback, and native code guards each speculation. So the result
of a profiling run affects speed, never the behaviour of a program.
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
from porter.run.filesystem import copies, image_of
from porter.run.launch.bindings import Binding
from porter.run.launch.native_code import Native
from porter.run.launch.options import SIZES, Phase

STEPS, SECONDS = 20_000, 0.25  # limits of the program
TIMEOUT = 1.0  # seconds; limit of the launch
MOST_FILES = 16 << 20  # bytes: a larger file system is not copied, and the run has none


@frozen(eq=False)
class ProfilingRun:
    """The profiling run of a program.

    Attributes:
        device: The device that runs it.
        memory: The bytecode on the device.
        kind: Kind of the program, as `Launch.kind`.
        launch: Sizes, sandbox, seed and file systems of the program's real launches.
        n: Number of interpreters of the real launches.
        bindings: Globals. The run may write to bound arrays, which must be stubs (stubs.py).
    """

    device: Device
    memory: Array = field(repr=False)
    kind: str
    launch: Launch = field(repr=False)
    n: int
    bindings: Sequence[Binding] = ()

    @property
    def key(self) -> str:
        """Digest of the run's inputs without values of globals, which seldom affect the result."""
        globals_ = sorted((b.name, b.kind, b.typecode) for b in self.bindings)
        values = [self.kind, self.launch.sandbox, self.launch.fs is not None, globals_]
        return hashlib.sha256(json.dumps([STEPS, values]).encode()).hexdigest()

    def seen(self) -> bytes:
        """Run the program, and return the type feedback, as `CompilerOptions.hints`.

        The result is empty if the run collected nothing or failed.
        """
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
