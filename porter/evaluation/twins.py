"""The host twin beside a GPU: it runs what the GPU cannot run, or would run slowly."""

from __future__ import annotations

import os
from weakref import WeakKeyDictionary

from porter.errors import BuildDamaged, LaunchFailed, NotBuilt
from porter.run import Device, open_device

FEW = 64  # rows per core that the host twin runs faster than a GPU

_twins: WeakKeyDictionary[Device, Device] = WeakKeyDictionary()


def has_twin(device: Device) -> bool:
    """Return whether a GPU's build has a host twin."""
    return "host" in device.built.whole.targets


def twin_of(device: Device) -> Device | None:
    """Return the host twin of a GPU's build; None if the build has none."""
    if not has_twin(device):
        return None
    if device not in _twins:
        _twins[device] = open_device(device.built, "host")
    return _twins[device]


def device_for_few(device: Device, rows: int) -> Device:
    """Return the device that runs `rows` rows soonest, whose results do not depend on it.

    A launch of a few rows on a GPU waits for the blocks of other launches, and its lanes share few
    instructions. The cores run them meanwhile.
    """
    if not device.on_gpu or rows > FEW * (os.cpu_count() or 1):
        return device
    try:
        return twin_of(device) or device
    except (BuildDamaged, LaunchFailed, NotBuilt):  # it does not load here, and is not needed
        return device


def set_twin(device: Device, twin: Device) -> None:
    """Use an open host twin beside a GPU."""
    _twins[device] = twin
