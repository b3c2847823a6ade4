"""The device that programs are judged on: a build with fences, made at its first use."""

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
    """The device to judge on, and whether the caller owns it (else it was open already).

    A finished `build`, or an open `device`, is taken as it is, with fences or without; else one
    with fences is made, which says on stderr what it does. target None: the GPU where there is
    one. devices: several, as one. Raises UsageError, NotBuilt, NoGpu, MissingPackage, and what
    building raises.
    """
    if device is not None:
        others: dict[str, Any] = {"target": target, "release": release, "build": build}
        others["devices"] = devices
        return check_device(device, **others), False
    return open_target(target, release, build, {"fences": True}, devices=devices), True
