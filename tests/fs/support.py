"""Launches over one image, and the resulting image."""

from __future__ import annotations

from typing import Any

import attrs

from porter.fs import Image
from porter.run import Device, Launch, Result, run
from porter.run.filesystem import mounted, written
from porter.run.launch.options import Phase

HELD = 1 << 40  # of the guard's word, templates/port/imageguard.c


@attrs.define
class Shared:
    """An image that all interpreters of several launches share."""

    device: Device
    launch: Launch
    name: str = "image"

    @classmethod
    def of(cls, device: Device, image: Image, **options: Any) -> Shared:
        return cls(device, mounted(Launch(**options), device, image, 1, shared=True))

    def run(self, program: str, n: int, phase: Phase | None = None, **options: Any) -> Result:
        return run(self.device, [program], n, attrs.evolve(self.launch, **options), phase)

    def lines(
        self, program: str, n: int, phase: Phase | None = None, **options: Any
    ) -> list[list[str]]:
        """Return the output lines of each of `n` interpreters; all must have succeeded."""
        result = self.run(program, n, phase, **options)
        assert set(result.status.tolist()) == {0}, result.stderr[0].decode()
        return [result.stdout[i].decode().splitlines() for i in range(n)]

    def held(self) -> bool:
        assert self.launch.fs_guard is not None
        return bool(int(self.device.host(self.launch.fs_guard)[0]) & HELD)

    def files(self) -> dict[str, bytes]:
        """Return all files, read by littlefs on the host."""
        image = written(self.launch, self.device, 1, 0, self.name)
        return {e.path: image.read(e.path) for e in image.walk() if not e.folder}
