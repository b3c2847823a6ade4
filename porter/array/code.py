"""Code that is compiled once, and executed by all interpreters where it is."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np
from attrs import field, frozen

from porter.array import values
from porter.array.interpreters import Interpreters
from porter.array.outcome import Outcome
from porter.compiler.options import CompilerOptions
from porter.errors import InterpreterError, NotEnoughMemory, ProgramSyntaxError, UsageError
from porter.native import ProgramTrial, make
from porter.native.module import NativeModule
from porter.run import Device, Launch, Program, Result
from porter.run.device.base import Array
from porter.run.launch.binding import Binding
from porter.run.launch.order import BARRIER
from porter.run.launch.plan import footprint


@frozen(eq=False)
class Code:
    """Compiled source, on a device, for arrays of the same build there.

    kind: "file", "single" or "eval". size: bytes, once for all interpreters. barrier: whether its
    source names one. native: its machine code, where that was asked for. source: what was compiled.
    """

    name: str
    kind: str
    device: Device = field(repr=False)
    memory: Array = field(repr=False)
    barrier: bool = field(default=False, repr=False)
    native: NativeModule | None = field(default=None, repr=False)
    source: bytes = field(default=b"", repr=False)

    @property
    def size(self) -> int:
        """Bytes of device memory."""
        return int(self.memory.size)

    def check(self, device: Device) -> None:
        """UsageError unless interpreters on `device` can execute this."""
        same = device.built.folder == self.device.built.folder and device.name == self.device.name
        if self.native is not None:  # a GPU knows machine code by a number, each opening by its own
            same = same and device.linked is self.device.linked
        if not same:
            raise UsageError(
                f"{self.name}: this code is of another build or target",
                hint="Compile it with the array that runs it.",
            )


def compile_code(device: Device, launch: Launch, source: bytes, name: str, kind: str) -> Code:
    """Compile in one interpreter of its own, with the sizes of `launch`.

    Raises ProgramSyntaxError, NotEnoughMemory, InterpreterError.
    """
    alone = _Compiler(device, 1, attrs.evolve(launch, fs=None, block=0))
    try:
        code = alone.compile(Program(source, name), kind)
    except InterpreterError as error:
        raised = error.exceptions[0]
        if raised.type in ("SyntaxError", "IndentationError"):
            raise ProgramSyntaxError(raised.traceback.rstrip()) from None
        if raised.type == "MemoryError":
            heap = footprint(device, launch).heap
            raise NotEnoughMemory(
                f"{name} does not compile in a heap of {heap} bytes", hint="Make heap larger."
            ) from None
        raise
    finally:
        alone.close()
    memory = device.array(np.frombuffer(code, np.uint8))
    return Code(name, kind, device, memory, BARRIER in source, None, source)


def with_native(
    code: Code,
    launch: Launch,
    n: int = 1,
    bindings: Sequence[Binding] = (),
    options: CompilerOptions | None = None,
) -> Code:
    """`code` with its machine code, for `n` interpreters of such a `launch`.

    bindings: globals for a trial of it. Raises as InterpreterArray.compile.
    """
    device = code.device
    trial = ProgramTrial(device, code.memory, code.kind, launch, n, bindings)
    bytecode = device.host(code.memory).tobytes()
    made = make(device, bytecode, code.source, code.name, trial, options)
    return attrs.evolve(code, native=made)


class _Compiler(Interpreters):
    """An interpreter that only compiles."""

    def compile(self, program: Program, kind: str) -> bytes:
        """The program's code. Raises InterpreterError."""

        def finish(outcome: Outcome, result: Result) -> bytes:
            outcome.check()
            assert result.values is not None
            code: bytes = values.objects(self.device, result.values, self._fetch, None)[0]
            return code

        call = self._go([program], None, finish, kind=kind, compiling=True)
        return call.result()
