"""Code that is compiled once, and executed by all interpreters where it is."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from attrs import field, frozen

from porter.array import values
from porter.array.outcome import Outcome
from porter.array.runner import Runner
from porter.errors import InterpreterError, NotEnoughMemory, ProgramSyntaxError, UsageError
from porter.run import Device, Launch, Program, Result
from porter.run.device import Array


@frozen(eq=False)
class Code:
    """Compiled source, on a device, for arrays of the same build there.

    kind: "file", "single" or "eval". size: bytes, once for all interpreters.
    """

    name: str
    kind: str
    device: Device = field(repr=False)
    memory: Array = field(repr=False)

    @property
    def size(self) -> int:
        """Bytes of device memory."""
        return int(self.memory.size)

    def check(self, device: Device) -> None:
        """UsageError unless interpreters on `device` can execute this."""
        same = device.built.folder == self.device.built.folder and device.name == self.device.name
        if not same:
            raise UsageError(
                f"{self.name}: this code is of another build or target",
                hint="Compile it with the array that runs it.",
            )


def compile_code(device: Device, launch: Launch, source: bytes, name: str, kind: str) -> Code:
    """Compile in one interpreter of its own, with the sizes of `launch`.

    Raises ProgramSyntaxError, NotEnoughMemory, InterpreterError.
    """
    pystack, heap = launch.pystack, launch.heap
    assert pystack is not None and heap is not None  # an array's launch has every size
    alone = attrs.evolve(launch, persist=device.arenas(1, pystack, heap), fs=None, block=0)
    runner = Runner(device, 1, alone)

    def finish(outcome: Outcome, result: Result) -> Any:
        outcome.check()
        assert result.values is not None
        return values.objects(device, result.values, runner.fetch, None)[0]

    try:
        program = [Program(source, name)]
        code: Any = runner.go(program, None, finish, True, kind=kind, compiling=True)
    except InterpreterError as error:
        raised = error.exceptions[0]
        if raised.type in ("SyntaxError", "IndentationError"):
            raise ProgramSyntaxError(raised.traceback.rstrip()) from None
        if raised.type == "MemoryError":
            raise NotEnoughMemory(
                f"{name} does not compile in a heap of {heap} bytes", hint="Make heap larger."
            ) from None
        raise
    finally:
        runner.close()
    return Code(name, kind, device, device.array(np.frombuffer(code, np.uint8)))
