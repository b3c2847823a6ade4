"""Bytecode of several programs, compiled in one launch and executed in another."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import attrs
import numpy as np
from attrs import field, frozen

from porter.array.interpreters import Interpreters
from porter.array.outcome import Outcome
from porter.native.module import NativeModule
from porter.run import Device, Launch, Program, Result, values
from porter.run.device.base import Array
from porter.run.launch.native_code import Native
from porter.run.launch.options import Phase


@frozen(eq=False)
class CodeOfEach:
    """Bytecode of several programs in `memory`; interpreter i of a launch runs program i.

    Attributes:
        device: The device.
        memory: The concatenated bytecode.
        parts: Offset of each program, and the end of the last (uint64).
    """

    device: Device = field(repr=False)
    memory: Array = field(repr=False)
    parts: np.ndarray[Any, Any] = field(repr=False)

    @classmethod
    def of(cls, device: Device, codes: Sequence[bytes]) -> CodeOfEach:
        """Concatenate `codes`, none of which is empty, on the device."""
        parts = np.cumsum([0, *map(len, codes)]).astype(np.uint64)
        return cls(device, device.array(np.frombuffer(b"".join(codes), np.uint8)), parts)

    def noting(self) -> tuple[Phase, list[np.ndarray[Any, Any]]]:
        """Return a phase that runs the programs and records type feedback.

        Returns:
            The phase, and for each program an array that the launch fills in: the type seen at each
            byte of its bytecode (`Native.seen`).
        """
        natives, noted = [], []
        for low, high in pairwise(self.parts.tolist()):
            seen = self.device.zeros(high - low, np.uint8)
            entries = self.device.zeros(high - low, np.uint16)
            natives.append(Native(self.memory[low:high], entries, seen=seen))
            noted.append(seen)
        return Phase(compiled=self.memory, parts=self.parts, natives=natives), noted

    def phase(self, modules: Sequence[NativeModule | None] = (), **options: Any) -> Phase:
        """Return a phase that runs the programs, with native code where `modules` has any.

        Args:
            modules: Native code of each program, or None.
            options: Further options of Phase.
        """
        natives: list[Native] = []
        for i, module in enumerate(modules):
            if module is not None:
                own = self.memory[int(self.parts[i]) : int(self.parts[i + 1])]
                natives.append(module.on(self.device, own))
        return Phase(compiled=self.memory, parts=self.parts, natives=natives, **options)


def compile_each(
    device: Device, launch: Launch, programs: Sequence[Program]
) -> tuple[list[bytes | None], Outcome]:
    """Compile each program in its own interpreter.

    Returns:
        The bytecode of each program, None where it does not compile, and the outcome.
    """
    n = len(programs)
    alone = _Compilers(device, n, attrs.evolve(launch, fs=None))
    try:
        return alone.compile(programs, np.arange(n, dtype=np.uint32))
    finally:
        alone.close()


class _Compilers(Interpreters):
    """Interpreters that only compile."""

    def compile(
        self, programs: Sequence[Program], program_of: np.ndarray[Any, Any]
    ) -> tuple[list[bytes | None], Outcome]:
        """Compile the programs; see compile_each."""

        def finish(outcome: Outcome, result: Result) -> tuple[list[bytes | None], Outcome]:
            assert result.values is not None
            found = values.objects(self.device, result.values, self._fetch, None)
            return [one if isinstance(one, bytes) else None for one in found], outcome

        return self._go(programs, program_of, finish, compiling=True).result()
