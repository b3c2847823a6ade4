"""The native code of one array: passed to its launches, and evaluated after each launch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import attrs
import numpy as np
from attrs import field, frozen

from porter.native.module import NativeModule
from porter.native.report import FailedGuard, NativeReport
from porter.run import Device
from porter.run.device.base import Array
from porter.run.launch.native_code import Native

# Failures of a guard in one launch before its speculation is dropped: the larger of both counts.
OFTEN = 1000  # in total
OFTEN_EACH = 16  # for each interpreter of the launch
MOST_AGAIN = 3  # maximum number of recompilations of one program
Wrong = dict[NativeModule, frozenset[int]]


@frozen(eq=False)
class Brought:
    """The native code of one launch, with guard counters of its own.

    Attributes:
        device: The device of the launch.
        n: Number of interpreters.
        each: Modules, with their native code on the device; None for a module without any.
        wrong: Positions at which each module shall not speculate; `report` adds failed speculation.
    """

    device: Device
    n: int
    each: Sequence[tuple[NativeModule, Native | None]] = field(repr=False)
    wrong: Wrong = field(repr=False)

    @property
    def natives(self) -> tuple[Native, ...]:
        """The native code for `Phase.natives`."""
        return tuple(native for _, native in self.each if native is not None)

    def report(self) -> NativeReport | None:
        """Return the report of the ended launch; None if no program was to be compiled."""
        if not self.each:
            return None
        modules = [module for module, _ in self.each]
        failed = [place for module, native in self.each for place in self._places(module, native)]
        seconds: Counter[str] = Counter()
        for module in modules:
            seconds.update(module.seconds)
        return NativeReport(
            tuple(function for module in modules for function in module.functions),
            tuple(sorted(failed, key=lambda place: -place.count)),
            dict(seconds),
            all(module.cached for module in modules),
        )

    def _places(self, module: NativeModule, native: Native | None) -> list[FailedGuard]:
        if native is None or native.exits is None:
            return []
        counts = self.device.host(native.exits)
        often = max(OFTEN, OFTEN_EACH * self.n)
        places = {g.place for g in module.guards if counts[g.number] >= often}
        if places - module.without:
            self.wrong[module] = module.without | places
        return [
            FailedGuard(
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
    """Native code of all programs that an array has run; later launches may call its functions."""

    def __init__(self, device: Device, n: int) -> None:
        self._device, self._n = device, n
        self._each: dict[int, tuple[NativeModule, Native | None, Array]] = {}
        self._wrong: Wrong = {}

    def add(self, module: NativeModule, memory: Array) -> None:
        """Add a module for all later launches; it replaces an older one for the same bytecode.

        Args:
            module: The module.
            memory: The bytecode on the device.
        """
        at = self._device.address(memory)
        if at not in self._each or self._each[at][0] is not module:
            native = module.on(self._device, memory) if module.runs else None
            self._each[at] = module, native, memory

    def bring(self) -> Brought:
        """Return the native code for the next launch."""
        brought = list(self._each.values())  # a copy, since another thread may add modules
        each = [(module, self._counted(module, one)) for module, one, _ in brought]
        return Brought(self._device, self._n, each, self._wrong)

    def wrong(self, module: NativeModule) -> frozenset[int]:
        """Return the positions at which a recompilation of `module` shall not speculate.

        Positions at which `module` does not speculate already are included. The result is empty if
        `module` is not to be recompiled, and on the next call.
        """
        places = self._wrong.pop(module, frozenset())
        return places if module.again < MOST_AGAIN else frozenset()

    def _counted(self, module: NativeModule, native: Native | None) -> Native | None:
        count = module.exits()
        if native is None or not count:
            return native
        return attrs.evolve(native, exits=self._device.zeros(count, np.uint32))

    def clear(self) -> None:
        """Drop all modules, after the interpreters were discarded."""
        self._each.clear()
        self._wrong.clear()
