"""Device copies of host memory that interpreters on one of several devices use.

`several.launch` sends the copies to the device before a launch, and fetches changes after it.
"""

from __future__ import annotations

import ctypes
from typing import Any

import attrs
import numpy as np
from attrs import define

from porter.run.device.base import Array, Device

Bytes = np.ndarray[Any, Any]  # uint8


def memory_at(address: int, size: int) -> Bytes:
    """Return the `size` bytes of this process at `address` as an array, without a reference."""
    return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))


def bytes_of(array: np.ndarray[Any, Any]) -> Bytes:
    """Return the bytes of a contiguous array, without a copy."""
    return array.reshape(-1).view(np.uint8)


@define
class Shadow:
    """A device's copy of host memory.

    Attributes:
        host: The host's bytes.
        copy: The device's bytes.
        writable: Whether programs can write to them.
        keep: The owner of the host memory.
        before: The host's content when the copy was sent; None where programs cannot write.
    """

    host: Bytes = attrs.field(repr=False)
    copy: Array = attrs.field(repr=False)
    writable: bool
    keep: object = attrs.field(repr=False)
    before: Bytes | None = attrs.field(default=None, repr=False)

    def send(self, device: Device) -> None:
        """Copy the host's bytes to the device, before a launch."""
        self.copy[...] = device.array(self.host)
        self.before = self.host.copy() if self.writable else None

    def fetch(self, device: Device) -> None:
        """Write the bytes that the launch changed to the host; others may be another device's."""
        if self.before is not None:
            now = device.host(self.copy)
            changed = now != self.before
            self.host[changed] = now[changed]
            self.before = None


@define(eq=False)
class Shadows:
    """All host memory that `device` uses: the memory itself for a host twin, copies for a GPU.

    A copy keeps its address until it is dropped, because persistent interpreters may refer to it.
    """

    device: Device
    _kept: dict[int, Shadow] = attrs.field(factory=dict, init=False)
    _leaving: set[int] = attrs.field(factory=set, init=False)

    def of(self, host: Bytes, keep: object, *, writable: bool) -> Array:
        """Return the device's bytes for `host`, which is the memory of `keep` or a part of it."""
        if not self.device.on_gpu:
            return host
        shadow = self._kept.get(id(keep))
        if shadow is None or len(shadow.host) != len(host):
            copy = self.device.zeros(len(host), np.uint8)
            shadow = self._kept[id(keep)] = Shadow(host, copy, writable, keep)
        return shadow.copy

    def drop(self, keep: object) -> Array | None:
        """Free the copy for `keep` after the next launch. Returns the copy, or None without one."""
        shadow = self._kept.get(id(keep))
        if shadow is None:
            return None
        self._leaving.add(id(keep))
        return shadow.copy

    def send(self) -> None:
        """Copy all host memory to the device, before a launch."""
        for shadow in self._kept.values():
            if shadow.host.size:
                shadow.send(self.device)

    def fetch(self) -> None:
        """Copy changed bytes to the host after a launch, and free dropped copies."""
        for shadow in self._kept.values():
            shadow.fetch(self.device)
        for key in self._leaving:
            self._kept.pop(key, None)
        self._leaving.clear()
