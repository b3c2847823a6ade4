from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from porter.errors import LaunchFailed
from porter.run import Device, open_device, open_several
from porter.run.built import Built, open_build
from porter.run.device.host import HostTwin
from porter.run.several.device import Several

if TYPE_CHECKING:
    from porter.pipeline import Build


class ApartTwin(HostTwin):
    """A host twin with separate memory, like a GPU: data is copied to it.

    Calls outside of here() are refused: they would access another GPU.
    """

    on_gpu = True

    def __init__(self, built: Built) -> None:
        super().__init__(built, threads=1)
        self.current = 0
        self.fails = ""

    @contextmanager
    def here(self) -> Iterator[None]:
        self.current += 1
        try:
            yield
        finally:
            self.current -= 1

    def array(self, values: np.ndarray[Any, Any]) -> Any:
        assert self.current
        return super().array(values)

    def host(self, array: Any) -> np.ndarray[Any, Any]:
        assert self.current
        return np.array(array, order="C")

    def arenas(self, n: int, pystack: int, heap: int) -> Any:
        assert self.current
        return super().arenas(n, pystack, heap)

    def launch(self, record: Any, threads: int, chunks: Any = None, *, urgent: bool = False) -> Any:
        assert self.current
        if self.fails == "start":
            raise LaunchFailed("the kernel does not start: no reason")
        running: Any = super().launch(record, threads, chunks, urgent=urgent)
        if self.fails == "wait":
            running.wait(None)
            running._status = -1
        return running


def apart(built: Build, count: int = 2) -> Several:
    """Return `count` twins with separate memories."""
    whole = open_build(built.folder)
    return Several([ApartTwin(whole) for _ in range(count)], [f"GPU {k}" for k in range(count)])


GPUS = pytest.param("gpus", marks=pytest.mark.gpu)


@pytest.fixture(params=["twins", "apart", "three", GPUS])
def several(request: pytest.FixtureRequest) -> Several:
    """Return two host twins; two or three with separate memories; or two GPUs."""
    if request.param == "gpus":
        return two_gpus()
    built = request.getfixturevalue("built")
    if request.param == "twins":
        return open_several(built.folder, ["host", "host"])
    return apart(built, 2 if request.param == "apart" else 3)


@pytest.fixture
def one(several: Several) -> Device:
    """Return one device of the same type."""
    if several.devices[0].on_gpu and several.devices[0].name == "cuda":
        return several.devices[0]
    return open_device(several.built.folder, "host")


def two_gpus() -> Several:
    """Return the first two GPUs, with the build in $PORTER_GPU_BUILD."""
    if "PORTER_GPU_BUILD" not in os.environ:
        pytest.skip("PORTER_GPU_BUILD names no device build")
    cupy = pytest.importorskip("cupy")
    if cupy.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("there is no second GPU")
    return open_several(Path(os.environ["PORTER_GPU_BUILD"]), [0, 1])
