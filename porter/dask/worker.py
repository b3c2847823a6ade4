"""Code that runs on a Dask worker: keep a device open and run one task at a time on it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from attrs import define, field

from porter.dask.connecting import abilities
from porter.dask.shipping import Parcel, unpacked
from porter.errors import NoGpu
from porter.run import Device, open_device


@define(eq=False)
class _Opened:
    device: Device | None = None
    lock: threading.Lock = field(factory=threading.Lock)


# Keys: worker (a process may have several), build, the build's choices, target.
_opened: dict[tuple[str, str, str, str], _Opened] = {}
_guard = threading.Lock()


@contextmanager
def device_for(parcel: Parcel, target: str | None) -> Iterator[Device]:
    """Yield this worker's device, to one task at a time.

    Args:
        parcel: The build.
        target: The target; None for the GPU if both worker and build support it, else the host.

    Raises:
        NoGpu: The target is "cuda", and the worker has no GPU.
        PorterError: The device cannot be opened.
    """
    from distributed import get_worker

    worker = get_worker()
    able = abilities(worker)
    if target is None:
        target = "cuda" if able.gpus and "cuda" in parcel.targets else "host"
    if target == "cuda" and not able.gpus:
        raise NoGpu(f"worker {worker.address} has no GPU")
    key = (str(worker.id), parcel.key, repr(sorted(parcel.config.items())), target)
    with _guard:
        opened = _opened.setdefault(key, _Opened())
    with opened.lock:
        if opened.device is None:
            options: dict[str, Any] = {"threads": able.nthreads} if target == "host" else {}
            opened.device = open_device(unpacked(parcel), target, **options)
        yield opened.device
