"""The cores and the GPUs of a machine as devices of one evaluation.

`execution.open_sandbox` opens a `MixedDevices`. `distribution` gives portions to its devices. A GPU
is opened when an evaluation is long enough for it, so that short ones do not wait for its driver.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from weakref import WeakKeyDictionary

from attrs import define, field

from porter.errors import BuildDamaged, PorterError
from porter.run import Device, open_device
from porter.run.built import Built
from porter.run.device.host import HostTwin

# The host twin beside each GPU.
_twins: WeakKeyDictionary[Device, Device] = WeakKeyDictionary()


def twin_of(device: Device) -> Device | None:
    """Return the host twin of a GPU's build, which gives equal results; None if it has none."""
    if "host" not in device.built.whole.targets:
        return None
    if device not in _twins:
        _twins[device] = open_device(device.built, "host")
    return _twins[device]


@define(eq=False)
class LazyDevice:
    """A GPU that is opened when it is first needed.

    Attributes:
        label: Its name for messages.
        optional: Whether evaluations continue on other devices if it cannot be opened.
        device: The open device, or None.
        error: Why it could not be opened.
    """

    label: str
    _open: Callable[[], Device]
    _twin: Device
    optional: bool = True
    device: Device | None = field(default=None, init=False)
    error: BaseException | None = field(default=None, init=False)
    _waiting: list[Callable[[], object]] = field(factory=list, init=False)
    _lock: threading.Lock = field(factory=threading.Lock, init=False, repr=False)
    _thread: threading.Thread | None = field(default=None, init=False, repr=False)

    def open(self, report: Callable[[], object]) -> None:
        """Open the device in a thread of its own, and call `report` there in the end.

        The thread does not depend on the evaluation: the next one finds the device open.
        """
        with self._lock:
            if self.device is None and self.error is None:
                self._waiting.append(report)
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name=f"open {self.label}")
                    self._thread.start()
                return
        report()

    def _run(self) -> None:
        device, error = None, None
        try:
            device = self._open()
            _twins[device] = self._twin
        except BaseException as raised:
            error = raised
            # Other devices would hide the damage.
            self.optional &= isinstance(raised, PorterError) and not isinstance(
                raised, BuildDamaged
            )
        with self._lock:
            self.device, self.error = device, error
            waiting, self._waiting = self._waiting, []
        for report in waiting:
            report()

    def close(self) -> None:
        """Close the device, after its opening has ended."""
        if self._thread is not None:
            self._thread.join()
        if self.device is not None:
            with self.device.here():
                self.device.close()


@define(eq=False)
class MixedDevices:
    """A host twin and GPUs of one build, which judge the programs of an evaluation together.

    Attributes:
        host: The host twin.
        gpus: The GPUs.
    """

    host: HostTwin
    gpus: Sequence[LazyDevice]

    @property
    def built(self) -> Built:
        """The build."""
        return self.host.built

    @property
    def name(self) -> str:
        """The devices' names, for messages."""
        return " and ".join(["host", *(gpu.label for gpu in self.gpus)])

    def open(self) -> None:
        """Open all GPUs and wait for them, so that the next evaluation can use them at once."""
        opened = threading.Semaphore(0)
        for gpu in self.gpus:
            gpu.open(opened.release)
        for _ in self.gpus:
            opened.acquire()

    def close(self) -> None:
        """Close all devices."""
        for gpu in self.gpus:
            gpu.close()
        self.host.close()


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
    return MixedDevices(host, gpus)


def _current() -> int | None:
    """Return the calling thread's current GPU if CuPy is loaded; None: the default one."""
    cupy = sys.modules.get("cupy")
    try:
        return None if cupy is None else int(cupy.cuda.Device().id)
    except Exception:  # CuPy without a driver; opening the GPU reports it
        return None
