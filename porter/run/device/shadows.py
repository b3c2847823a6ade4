"""Memory of the host that interpreters of one of several devices use."""

from __future__ import annotations

import ctypes
from typing import Any

import attrs
import numpy as np
from attrs import define

from porter.run.device.base import Array, Device

Bytes = np.ndarray[Any, Any]  # uint8


def memory_at(address: int, size: int) -> Bytes:
    """The `size` bytes of this process at `address`, which their owner keeps alive."""
    return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))


def bytes_of(array: np.ndarray[Any, Any]) -> Bytes:
    """The bytes of a contiguous array, without a copy."""
    return array.reshape(-1).view(np.uint8)


@define
class Shadow:
    """A device's copy of the host's memory `host`, of which `keep` is the owner.

    before: what the host had when the copy was sent; None where programs cannot write.
    """

    host: Bytes = attrs.field(repr=False)
    copy: Array = attrs.field(repr=False)
    writable: bool
    keep: object = attrs.field(repr=False)
    before: Bytes | None = attrs.field(default=None, repr=False)

    def send(self, device: Device) -> None:
        """Bring the host's bytes to the device, before a launch."""
        self.copy[...] = device.array(self.host)
        self.before = self.host.copy() if self.writable else None

    def fetch(self, device: Device) -> None:
        """Write to the host what a launch has changed; other bytes may be another device's."""
        if self.before is not None:
            now = device.host(self.copy)
            changed = now != self.before
            self.host[changed] = now[changed]
            self.before = None


@define(eq=False)
class Shadows:
    """What the host's memory is on `device`: itself for a host twin, a copy for a GPU.

    A copy has one address as long as it is kept: interpreters that live on may know it.
    """

    device: Device
    _kept: dict[int, Shadow] = attrs.field(factory=dict, init=False)
    _leaving: set[int] = attrs.field(factory=set, init=False)

    def of(self, host: Bytes, keep: object, *, writable: bool) -> Array:
        """The device's bytes for `host`, the memory (or one part of the memory) of `keep`."""
        if not self.device.on_gpu:
            return host
        shadow = self._kept.get(id(keep))
        if shadow is None or len(shadow.host) != len(host):
            copy = self.device.zeros(len(host), np.uint8)
            shadow = self._kept[id(keep)] = Shadow(host, copy, writable, keep)
        return shadow.copy

    def drop(self, keep: object) -> Array | None:
        """Let the copy for `keep` go after the next launch; returns it, if there is one."""
        shadow = self._kept.get(id(keep))
        if shadow is None:
            return None
        self._leaving.add(id(keep))
        return shadow.copy

    def send(self) -> None:
        """Before a launch: the host's bytes go to the device."""
        for shadow in self._kept.values():
            if shadow.host.size:
                shadow.send(self.device)

    def fetch(self) -> None:
        """After a launch: what it has changed comes back."""
        for shadow in self._kept.values():
            shadow.fetch(self.device)
        for key in self._leaving:
            self._kept.pop(key, None)
        self._leaving.clear()
