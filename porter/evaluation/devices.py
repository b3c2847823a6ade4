"""The cores and the GPUs of a machine as devices of one evaluation.

`execution.open_sandbox` opens a `MixedDevices`. `distribution` gives portions to its devices. A GPU
is opened when an evaluation is long enough for it, so that short ones do not wait for its driver.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from attrs import define, evolve, field, frozen

from porter.evaluation.background import Background
from porter.evaluation.judgement import Judgement, judge
from porter.evaluation.options import Judging
from porter.evaluation.portion import Portion
from porter.evaluation.processes import CoreProcess, processes_of
from porter.evaluation.twins import set_twin
from porter.run import Cancel, Device, open_device
from porter.run.built import Built
from porter.run.device.host import HostTwin

NICE = 5  # of processes on the cores beside a GPU


class PortionJudge(Protocol):
    """A judge of portions: a device, or a process with a device of its own."""

    @property
    def label(self) -> str:
        """Its name for messages."""

    def judge(self, portion: Portion, how: Judging, cancel: Cancel) -> Judgement:
        """Judge a portion; `cancel` ends it early. Raises as `judgement.judge`."""


@frozen
class OpenDevice:
    """A device that is open.

    Attributes:
        label: Its name for messages.
        device: The device.
    """

    label: str
    device: Device

    def judge(self, portion: Portion, how: Judging, cancel: Cancel) -> Judgement:
        """See PortionJudge."""
        with self.device.here(), self.device.apart():
            return judge(self.device, portion, evolve(how, cancel=cancel))


@define(eq=False)
class LazyDevice(Background):
    """A GPU that is opened when it is first needed.

    Attributes:
        label: Its name for messages.
        optional: Whether evaluations continue on other devices if it cannot be opened.
        device: The open device, or None.
    """

    label: str
    _open: Callable[[], Device]
    _twin: Device
    optional: bool = True
    device: Device | None = field(default=None, init=False)

    def start(self) -> None:
        """See Background."""
        device = self._open()
        set_twin(device, self._twin)
        self.device = device

    def judge(self, portion: Portion, how: Judging, cancel: Cancel) -> Judgement:
        """See PortionJudge."""
        assert self.device is not None  # portions are given to open devices only
        return OpenDevice(self.label, self.device).judge(portion, how, cancel)

    def close(self) -> None:
        """Close the device, after its opening has ended."""
        self.join()
        if self.device is not None:
            with self.device.here():
                self.device.close()


@define(eq=False)
class MixedDevices:
    """A host twin and GPUs of one build, which judge the programs of an evaluation together.

    Attributes:
        host: The host twin of this process.
        gpus: The GPUs.
        processes: Processes that share the cores.
    """

    host: HostTwin
    gpus: Sequence[LazyDevice]
    processes: Sequence[CoreProcess] = ()

    @property
    def built(self) -> Built:
        """The build."""
        return self.host.built

    @property
    def name(self) -> str:
        """The devices' names, for messages."""
        return " and ".join(["host", *(gpu.label for gpu in self.gpus)])

    def open(self) -> None:
        """Open all devices and wait for them, so that the next evaluation can use them at once."""
        opened = threading.Semaphore(0)
        for one in (*self.gpus, *self.processes):
            one.open(opened.release)
        for _ in (*self.gpus, *self.processes):
            opened.acquire()

    def close(self) -> None:
        """Close all devices."""
        for one in (*self.gpus, *self.processes):
            one.close()
        self.host.close()


def open_all(device: Device | MixedDevices) -> None:
    """Open what evaluations on a device start when they last: GPUs, and processes on its cores."""
    if isinstance(device, HostTwin):
        device = MixedDevices(device, [], processes_of(device))
    if isinstance(device, MixedDevices):
        device.open()


def open_mixed(built: Built, *, every: bool) -> MixedDevices:
    """Open the host twin of a build, and prepare GPUs.

    Args:
        built: A build with both targets.
        every: All GPUs, which are then required; else the current one, if it can be opened.

    Raises:
        NoGpu: There is no GPU, and `every` is set.
        LaunchFailed: The host twin cannot be loaded.
    """
    numbers: Sequence[int | None] = [_current()]
    if every:
        from porter.run.device.cuda import gpu_count

        numbers = range(gpu_count())
    host = HostTwin(built)
    gpus = [
        LazyDevice(
            "GPU" if number is None else f"GPU {number}",
            partial(open_device, built, "cuda", number=number),
            host,
            optional=not every,
        )
        for number in numbers
    ]
    return MixedDevices(host, gpus, processes_of(host, NICE))


def _current() -> int | None:
    """Return the calling thread's current GPU if CuPy is loaded; None: the default one."""
    cupy = sys.modules.get("cupy")
    try:
        return None if cupy is None else int(cupy.cuda.Device().id)
    except Exception:  # CuPy without a driver; opening the GPU reports it
        return None
