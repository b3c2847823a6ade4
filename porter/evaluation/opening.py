"""The device that programs are judged on: a build with fences, made at its first use."""

from __future__ import annotations

import os
from typing import Any

from porter.array.opening import check_device, check_target, open_built
from porter.base import arguments
from porter.errors import UsageError
from porter.run import Device, open_device, open_several
from porter.run.built import Built, open_build
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
    if target is not None:
        arguments.choice(target, "target", ("host", "cuda"))
    if devices is not None:
        target = check_target(devices, target)
    if build is not None:
        if release is not None:
            raise UsageError("release: the build in a folder has its own")
        built = build if isinstance(build, Built) else open_build(arguments.path(build, "build"))
        return open_built(built, target, devices=devices), True
    if release is not None:
        arguments.text(release, "release")
    # Building needs libclang and compilers; running what was built elsewhere must not.
    from porter.pipeline import build as build_now
    from porter.settings import load_config

    config = load_config({"target": target, "release": release, "fences": True})
    folder = build_now(config).folder
    if devices is not None:
        return open_several(folder, devices), True
    return open_device(folder, config.target), True
