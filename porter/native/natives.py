"""The machine code that launches of one array have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import attrs
import numpy as np
from attrs import field, frozen

from porter.native.module import NativeModule
from porter.native.report import GaveUp, NativeReport
from porter.run import Device
from porter.run.device.base import Array
from porter.run.launch.natives import Native


@frozen(eq=False)
class Brought:
    """What one launch has, with counters of its own."""

    device: Device
    each: Sequence[tuple[NativeModule, Native | None]] = field(repr=False)

    @property
    def natives(self) -> tuple[Native, ...]:
        """For Phase.natives."""
        return tuple(native for _, native in self.each if native is not None)

    def report(self) -> NativeReport | None:
        """What it came to, once the launch has ended; None where nothing was to be compiled."""
        if not self.each:
            return None
        modules = [module for module, _ in self.each]
        gave_up = [place for module, native in self.each for place in self._places(module, native)]
        seconds: Counter[str] = Counter()
        for module in modules:
            seconds.update(module.seconds)
        return NativeReport(
            tuple(function for module in modules for function in module.functions),
            tuple(sorted(gave_up, key=lambda place: -place.count)),
            dict(seconds),
            all(module.cached for module in modules),
        )

    def _places(self, module: NativeModule, native: Native | None) -> list[GaveUp]:
        if native is None or native.exits is None:
            return []
        counts = self.device.host(native.exits)
        return [
            GaveUp(
                module.name,
                guard.function,
                guard.line,
                module.line(guard.line),
                guard.what,
                int(counts[guard.number]),
            )
            for guard in module.guards
            if counts[guard.number]
        ]


class Natives:
    """Machine code of all that an array's interpreters have run: they may call functions of it."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._each: dict[NativeModule, Native | None] = {}

    def add(self, module: NativeModule, memory: Array) -> None:
        """`module`, of the bytecode in `memory`, for all launches from now on."""
        if module not in self._each:
            self._each[module] = module.on(self._device, memory) if module.runs else None

    def bring(self) -> Brought:
        """For the next launch."""
        return Brought(self._device, [(m, self._counted(m, n)) for m, n in self._each.items()])

    def _counted(self, module: NativeModule, native: Native | None) -> Native | None:
        count = module.exits()
        if native is None or not count:
            return native
        return attrs.evolve(native, exits=self._device.zeros(count, np.uint32))

    def clear(self) -> None:
        """Forget all: the interpreters are gone."""
        self._each.clear()
