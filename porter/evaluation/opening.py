"""Open the device of an evaluation; without a build, make one with bounds checks."""

from __future__ import annotations

import os
from typing import Any

from porter.array.opening import check_device, open_target
from porter.run import Device
from porter.run.built import Built
from porter.run.open_several import Devices


def open_sandbox(
    target: str | None = None,
    release: str | None = None,
    build: str | os.PathLike[str] | Built | None = None,
    device: Device | None = None,
    devices: Devices | None = None,
) -> tuple[Device, bool]:
    """Open a device, or validate an open one.

    A finished `build` or an open `device` is used as it is, with or without bounds checks.
    Otherwise a build with bounds checks is made, with progress on stderr.

    Args:
        target: The target; None: the GPU where there is one.
        release: The MicroPython release to build.
        build: A finished build or its folder.
        device: An open device.
        devices: Several devices to open as one.

    Returns:
        The device, and whether the caller has to close it.

    Raises:
        UsageError: The arguments contradict each other.
        NotBuilt: The build lacks the target.
        NoGpu: There is no GPU.
        MissingPackage: CuPy cannot be imported.
        PorterError: Making a build failed.
    """
    if device is not None:
        others: dict[str, Any] = {"target": target, "release": release, "build": build}
        others["devices"] = devices
        return check_device(device, **others), False
    return open_target(target, release, build, {"fences": True}, devices=devices), True
