"""Open a device of a build, or several devices as one.

Only this module maps target names to device classes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from porter.base import arguments
from porter.errors import UsageError, WrongType
from porter.run.built import Built, device_output, open_build
from porter.run.device.base import Device
from porter.run.several.device import Several, renamed

# Options for opening a device, by target. host: `threads` of the host twin. cuda: `block`, the
# default block size; `stream` of all launches; `number` of the GPU; `code`, a LinkedCode that
# replaces the build's.
OPTIONS = {"host": ("threads",), "cuda": ("block", "stream", "number", "code")}
MOST_THREADS = 1 << 16


def open_device(folder: str | os.PathLike[str] | Built, target: str, **options: Any) -> Device:
    """Open a device of a build.

    Args:
        folder: The build, or its folder.
        target: `host`, `host-asan` or `cuda`.
        options: Options that OPTIONS lists for the target.

    Raises:
        NotBuilt: The build lacks this target.
        NoGpu: The target is cuda and there is no GPU.
        MissingPackage: CuPy cannot be imported.
        LaunchFailed: The library or cubin cannot be loaded.
        UsageError: The target or an option is unknown.
        WrongType: An argument has a wrong type.
    """
    arguments.text(target, "target")
    known = OPTIONS.get(target.partition("-")[0])
    if known is None:
        raise UsageError(f"target: {target!r} is neither host nor cuda")
    for name, value in options.items():
        if name not in known:
            raise UsageError(f"{name}: {target} has no such option; it has {', '.join(known)}")
        if name not in ("stream", "code") and value is not None:
            arguments.whole(value, name, 0 if name == "number" else 1, MOST_THREADS)
    built = folder if isinstance(folder, Built) else open_build(folder)
    # Import lazily: cuda needs CuPy, which the host twin does not.
    if target == "cuda":
        from porter.run.device.cuda import Cuda

        return Cuda(built, **options)
    from porter.run.device.host import HostTwin

    return HostTwin(built, variant=target, **options)


ALL, HOST = "all", "host"

# Accepted device selections: "all" GPUs, GPUs by number, or "host" once per host twin.
Devices = str | int | Sequence[int | str]


def chosen_devices(devices: Any, name: str = "devices") -> tuple[int | str, ...]:
    """Normalize a selection of devices.

    Args:
        devices: "all", "host", a number, a sequence of these, or a str with commas between them.
        name: The argument's name in messages.

    Returns:
        ("all",), numbers of GPUs, or "host" once or more.

    Raises:
        UsageError: The selection is empty, contradictory, or names no device.
        WrongType: It is not a selection at all.
    """
    if isinstance(devices, str):
        devices = [_word(word.strip(), name) for word in devices.split(",")]
    elif hasattr(devices, "__index__") and not arguments.is_bool(devices):
        devices = [devices] if getattr(devices, "shape", ()) == () else devices
    if not isinstance(devices, Sequence) and not getattr(devices, "shape", ()):
        raise WrongType(f"{name}: {type(devices).__name__} names no devices", hint=_HINT)
    chosen = tuple(_one(device, name) for device in devices)
    if not chosen:
        raise UsageError(f"{name}: there is none", hint=_HINT)
    if ALL in chosen and len(chosen) > 1:
        raise UsageError(f"{name}: `all` excludes other devices", hint=_HINT)
    if HOST in chosen and set(chosen) != {HOST}:
        raise UsageError(f"{name}: one array runs on GPUs or on host twins, not on both")
    gpus = [device for device in chosen if device != HOST]
    if len(set(gpus)) < len(gpus):
        raise UsageError(f"{name}: a GPU is named twice")
    return chosen


def target_of(chosen: Sequence[int | str]) -> str:
    """Return the target of these devices: "host" or "cuda"."""
    return HOST if HOST in chosen else "cuda"


def check_gpus(target: str, devices: Devices | None = None) -> None:
    """Check that this machine has the GPUs before a build for them is made, which takes minutes.

    Args:
        target: The target; nothing is checked for the host twin.
        devices: Several devices; None: one GPU.

    Raises:
        NoGpu: There is no GPU.
        MissingPackage: CuPy cannot be imported.
        UsageError: A number of `devices` names no GPU.
    """
    if target != "cuda":
        return
    from porter.run.device.cuda import check_number, gpu_count

    count = gpu_count()
    for device in () if devices is None else chosen_devices(devices):
        if device != ALL:
            check_number(int(device), count)


def open_several(folder: str | os.PathLike[str] | Built, devices: Devices) -> Several:
    """Open the devices of a build as one device.

    Raises the exceptions of `chosen_devices` and `open_device`.
    """
    chosen = chosen_devices(devices)
    built = folder if isinstance(folder, Built) else open_build(folder)
    if chosen == (ALL,):
        device_output(built)  # raises NotBuilt before GPUs are counted
        from porter.run.device.cuda import gpu_count

        chosen = tuple(range(gpu_count()))
    if HOST in chosen:
        threads = max(1, (os.cpu_count() or 1) // len(chosen))
        twins = [open_device(built, HOST, threads=threads) for _ in chosen]
        return Several(twins, [f"host twin {k}" for k in range(len(twins))])
    labels = [f"GPU {number}" for number in chosen]
    return Several([_gpu(built, *each) for each in zip(chosen, labels, strict=True)], labels)


def _gpu(built: Built, number: int | str, label: str) -> Device:
    try:
        return open_device(built, "cuda", number=number)
    except Exception as error:
        if not str(error).startswith(label):
            renamed(error, label)
        raise


_HINT = 'Give "all", numbers of GPUs such as [0, 1], or "host" for each host twin.'


def _word(word: str, name: str) -> int | str:
    if word in (ALL, HOST):
        return word
    if word.isascii() and word.isdigit():
        return int(word)
    raise UsageError(f"{name}: {word!r} is no device", hint=_HINT)


def _one(device: Any, name: str) -> int | str:
    if isinstance(device, str):
        return _word(device, name)
    return arguments.whole(device, name, 0, MOST_THREADS)
