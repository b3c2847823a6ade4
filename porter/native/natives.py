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

OFTEN = 1000  # times that a guess is wrong before machine code is made without it,
OFTEN_EACH = 16  # and times for each interpreter
MOST_AGAIN = 3  # times that machine code of one program is made again
Wrong = dict[NativeModule, frozenset[int]]


@frozen(eq=False)
class Brought:
    """What one launch of `n` interpreters has, with counters of its own.

    wrong: filled in by report, places of guesses that were often wrong.
    """

    device: Device
    n: int
    each: Sequence[tuple[NativeModule, Native | None]] = field(repr=False)
    wrong: Wrong = field(repr=False)

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
        often = max(OFTEN, OFTEN_EACH * self.n)
        places = {g.place for g in module.guards if counts[g.number] >= often}
        if places - module.without:
            self.wrong[module] = module.without | places
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

    def __init__(self, device: Device, n: int) -> None:
        self._device, self._n = device, n
        self._each: dict[int, tuple[NativeModule, Native | None, Array]] = {}
        self._wrong: Wrong = {}

    def add(self, module: NativeModule, memory: Array) -> None:
        """`module`, of the bytecode in `memory`, for all launches from now on.

        What was there of that bytecode is not brought any more.
        """
        at = self._device.address(memory)
        if at not in self._each or self._each[at][0] is not module:
            native = module.on(self._device, memory) if module.runs else None
            self._each[at] = module, native, memory

    def bring(self) -> Brought:
        """For the next launch."""
        brought = list(self._each.values())  # another thread may add to them
        each = [(module, self._counted(module, one)) for module, one, _ in brought]
        return Brought(self._device, self._n, each, self._wrong)

    def wrong(self, module: NativeModule) -> frozenset[int]:
        """Places at which `module` shall guess no more, once; none if it is not to be made again.

        With those that it guesses at no more already.
        """
        places = self._wrong.pop(module, frozenset())
        return places if module.again < MOST_AGAIN else frozenset()

    def _counted(self, module: NativeModule, native: Native | None) -> Native | None:
        count = module.exits()
        if native is None or not count:
            return native
        return attrs.evolve(native, exits=self._device.zeros(count, np.uint32))

    def clear(self) -> None:
        """Forget all: the interpreters are gone."""
        self._each.clear()
        self._wrong.clear()
