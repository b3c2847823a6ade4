"""Choose the device and build for an array's interpreters, and validate its sizes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from porter.base import arguments
from porter.base.sizes import check_bounds, parse_size
from porter.config import SIZE_BOUNDS, BuildConfig
from porter.errors import BuildDamaged, PorterError, UsageError
from porter.run import Device, Launch, open_device, open_several
from porter.run.built import Built, open_build
from porter.run.launch import plan
from porter.run.launch.plan import MAXIMUM, footprint, free
from porter.run.open import Devices, check_gpus, chosen_devices, target_of


def open_target(
    target: str | None,
    release: str | None,
    build: str | os.PathLike[str] | Built | None,
    choices: Mapping[str, Any],
    stream: Any = None,
    devices: Devices | None = None,
) -> Device:
    """Open the device for an array, and make a build if needed.

    Args:
        target: "cuda" or "host"; None: the GPU where there is one.
        release: The MicroPython release to build.
        build: A finished build or its folder; None: find or make one.
        choices: BuildConfig fields of a build that is made. A finished one is used as it is.
        stream: The CUDA stream for launches.
        devices: Several devices to open as one.

    Raises:
        UsageError: The arguments contradict each other.
        WrongType: An argument has a wrong type.
        NotBuilt: The build lacks the target.
        NoGpu: There is no GPU.
        MissingPackage: CuPy cannot be imported.
        PorterError: Making a build failed.
    """
    if target is not None:
        arguments.choice(target, "target", ("host", "cuda"))
    if devices is not None:
        target = check_target(devices, target)
        if stream is not None:
            raise UsageError("stream: it is one GPU's; leave it out where you give devices")
    if release is not None:
        arguments.text(release, "release")
    if stream is not None and target == "host":
        raise UsageError("stream: the host twin has no streams")
    if build is None:
        from porter.settings import load_config

        config = load_config({"target": target, "release": release, **choices})
        if config.target == "all":
            raise UsageError("target: interpreters run on host or cuda, not on all")
        if (ready := ready_build(config)) is not None:
            return _open(ready, config.target, stream, devices)
        check_gpus(config.target, devices)
        from porter.pipeline import build as build_now  # loads libclang

        return _open(build_now(config).folder, config.target, stream, devices)
    if release is not None:
        raise UsageError("release: the build in a folder has its own")
    built = build if isinstance(build, Built) else open_build(arguments.path(build, "build"))
    return open_built(built, target, stream, devices)


def built_for_all(
    release: str | None,
    build: str | os.PathLike[str] | Built | None,
    choices: Mapping[str, Any],
) -> Built | None:
    """Return a build for the cores and the GPU of this machine; make it if needed.

    Args:
        release: The MicroPython release to build.
        build: A finished build or its folder, which is returned as it is.
        choices: BuildConfig fields of a build that is made.

    Returns:
        The build; None where the settings name one target, or the machine has no GPU.
    """
    if build is not None:
        if release is not None:
            raise UsageError("release: the build in a folder has its own")
        return build if isinstance(build, Built) else open_build(arguments.path(build, "build"))
    from porter.settings import default_target, load_config

    if release is not None:
        arguments.text(release, "release")
    config = load_config({"release": release, **choices})
    if config.target == "host" or default_target() == "host":
        return None
    config = attrs.evolve(config, target="all")
    if (ready := ready_build(config)) is not None:
        return ready
    check_gpus("cuda")
    from porter.pipeline import build as build_now  # loads libclang

    return open_build(build_now(config).folder)


def check_target(devices: Any, target: str | None, name: str = "devices") -> str:
    """Return the target of `devices`.

    Raises:
        UsageError: `target` contradicts it.
        WrongType: `devices` has a wrong type.
    """
    found = target_of(chosen_devices(devices, name))
    if target not in (None, found):
        raise UsageError(f"target: {target}, but {name} are of target {found}")
    return found


def ready_build(config: BuildConfig) -> Built | None:
    """Return porter's bundled build with the choices of `config`; None where it does not fit."""
    # imported here, because running a build in a folder does not need it
    from porter.bundled import choices_of, serving

    folder = serving(config)
    if folder is None:
        return None
    return open_build(folder).with_choices(choices_of(config))


def open_built(
    built: Built, target: str | None, stream: Any = None, devices: Devices | None = None
) -> Device:
    """Open `target` of a finished build, or several devices as one.

    Args:
        built: The build.
        target: The target; None: the GPU where the build and this machine have one.
        stream: The CUDA stream for launches.
        devices: Several devices to open as one.
    """
    if devices is not None:
        return open_several(built, devices)
    if target is None and "cuda" in built.manifest["targets"]:
        try:
            return _open(built, "cuda", stream)
        except BuildDamaged:  # falling back to the host twin would hide the damage
            raise
        except PorterError:
            if stream is not None or "host" not in built.manifest["targets"]:
                raise
    return _open(built, target or "host", stream)


def check_device(device: Any, **others: Any) -> Device:
    """Return `device` if it is open and `others`, options for opening one, are all None.

    Raises:
        WrongType: It is no open device.
        UsageError: `others` contains an option.
    """
    plan.check_device(device)
    check_no_options(**others)
    opened: Device = device
    return opened


def check_no_options(**others: Any) -> None:
    """Check that options for opening a device are all None. Raises UsageError."""
    for name, value in others.items():
        if value is not None:
            raise UsageError(f"{name}: the open device has its own; give one of the two")


def _open(folder: Path | Built, target: str, stream: Any, devices: Devices | None = None) -> Device:
    if devices is not None:
        return open_several(folder, devices)
    if target == "cuda":
        return open_device(folder, "cuda", stream=stream)
    if stream is not None:
        raise UsageError("stream: the host twin has no streams")
    return open_device(folder, target)


def read_sizes(given: dict[str, int | str | None]) -> dict[str, Any]:
    """Return the given sizes in bytes. Raises UsageError, WrongType."""
    found: dict[str, int] = {}
    for name, value in given.items():
        if value is not None:
            found[name] = check_bounds(parse_size(value, name), SIZE_BOUNDS[name], name)
    for name in ("heap", "pystack", "stack"):
        if found.get(name, 0) % 16:
            raise UsageError(f"{name}: {found[name]} is not a multiple of 16 bytes")
    return found


def check_room(device: Device, n: int, launch: Launch) -> None:
    """Raise NotEnoughMemory unless `n` persistent interpreters fit at minimum size."""
    need = footprint(device, launch)
    free(device, need).check_persisting(n, need)


def check_count(n: int) -> int:
    """Return `n` if one launch can have that many interpreters. Raises WrongType, UsageError."""
    return arguments.whole(n, "n", 1, MAXIMUM)


def check_index(index: int, n: int) -> int:
    """Return `index` if it is valid for `n` interpreters. Raises WrongType, UsageError."""
    number = arguments.whole(index, "index", -MAXIMUM, MAXIMUM)
    if not 0 <= number < n:
        raise UsageError(f"index {number}: there are interpreters 0 to {n - 1}")
    return number
