"""Devices of the attacks: the host twin, and a GPU with finished builds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from porter import toolchain
from porter.errors import NoNvcc
from porter.native.known_programs import open_compiled
from porter.run import Device, Launch, Program, open_device
from porter.run.built import Built, open_build
from tests.conftest import shared

MANY = 10_003  # interpreters or programs of a campaign
# Seconds until a launch is interrupted, which fails the test. The host twin's cores may be busy.
LIMITS = {"host": 120.0, "cuda": 30.0}
VARIABLES = {"default": "PORTER_GPU_BUILD", "bounds-checked": "PORTER_GPU_FENCED"}


class Machine:
    """A device for each build and mode, opened on first use.

    Attributes:
        target: "host" or "cuda".
    """

    def __init__(self, target: str) -> None:
        """Open nothing yet.

        Args:
            target: "host" or "cuda".
        """
        self.target = target
        self._opened: dict[str, Device] = {}

    def built(self, name: str) -> Built:
        """Return the build "default" or "bounds-checked"; skip the test where it is missing."""
        if self.target == "host":
            return open_build(shared(name).folder)
        if VARIABLES[name] not in os.environ:
            pytest.skip(f"{VARIABLES[name]} names no device build")
        built = open_build(Path(os.environ[VARIABLES[name]]))
        assert built.bounds_checks == (name == "bounds-checked"), VARIABLES[name]
        return built

    def device(self, mode: str, heap: int | None = None) -> Device:
        """Return the device of a mode.

        The test is skipped where threads have no such amount of local memory.

        Args:
            mode: A mode of `programs.MODES`.
            heap: Bytes of each heap; None: the build's size.
        """
        name = mode if mode in VARIABLES else "default"
        if name not in self._opened:
            self._opened[name] = open_device(self.built(name), self.target)
        device = self._opened[name]
        if heap is not None and device.on_gpu and device.local:
            pytest.skip("the build has local arenas; use one with global arenas")
        return device

    @contextmanager
    def compiled(self, program: Program, launch: Launch, count: int) -> Iterator[Device]:
        """Provide a device that can run native code of `program`.

        The host twin loads native code at any time. A GPU is opened with it, which needs nvcc.

        Args:
            program: The program.
            launch: The launch that will run it.
            count: Number of interpreters that will run it.
        """
        device = self.device("compiled", launch.heap)
        if not device.on_gpu:
            yield device
            return
        try:
            toolchain.nvcc()
        except NoNvcc as error:
            pytest.skip(error.message)
        sizes = Launch(heap=launch.heap)
        built = self.built("default")
        opened = open_compiled(built, [program.source], name=program.name, launch=sizes, n=count)
        try:
            yield opened
        finally:
            opened.close()

    def close(self) -> None:
        """Close all devices."""
        for device in self._opened.values():
            device.close()
