"""Bytecode that is compiled once, and that all interpreters execute from one place in memory."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np
from attrs import field, frozen

from porter.array.interpreters import Interpreters
from porter.array.outcome import Outcome
from porter.compiler.options import CompilerOptions
from porter.errors import InterpreterError, NotEnoughMemory, ProgramSyntaxError, UsageError
from porter.native import ProgramTrial, make
from porter.native.module import NativeModule
from porter.run import Device, Launch, Program, Result, values
from porter.run.device.base import Array
from porter.run.launch.bindings import Binding
from porter.run.launch.order import BARRIER
from porter.run.launch.plan import footprint


@frozen(eq=False)
class Code:
    """Compiled source on a device, usable by arrays of the same build on that device.

    Attributes:
        name: The file name in tracebacks.
        kind: "file", "single" or "eval".
        device: The device.
        memory: The bytecode.
        barrier: Whether the source mentions a barrier.
        native: Native code, where the caller asked for it.
        source: The source.
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
        """Bytes of device memory; all interpreters share them."""
        return int(self.memory.size)

    def check(self, device: Device) -> None:
        """Raise UsageError unless interpreters on `device` can execute this code."""
        same = device.built.folder == self.device.built.folder and device.name == self.device.name
        # native code has a number that is valid for one opening of a GPU
        if self.native is not None:
            same = same and device.linked is self.device.linked
        if not same:
            raise UsageError(
                f"{self.name}: this code is of another build or target",
                hint="Compile it with the array that runs it.",
            )


def compile_code(device: Device, launch: Launch, source: bytes, name: str, kind: str) -> Code:
    """Compile source in a single interpreter with the sizes of `launch`.

    Raises:
        ProgramSyntaxError: The source does not compile.
        NotEnoughMemory: The heap is too small.
        InterpreterError: Compiling raised another exception.
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
    """Return `code` with native code. Raises as InterpreterArray.compile.

    Args:
        code: The code.
        launch: The launch that will run it.
        n: Number of interpreters that will run it.
        bindings: Globals for the profiling run.
        options: Options of the compiler.
    """
    device = code.device
    trial = ProgramTrial(device, code.memory, code.kind, launch, n, bindings)
    bytecode = device.host(code.memory).tobytes()
    made = make(device, bytecode, code.source, code.name, trial, options)
    return attrs.evolve(code, native=made)


class _Compiler(Interpreters):
    """An interpreter that only compiles."""

    def compile(self, program: Program, kind: str) -> bytes:
        """Return the program's bytecode. Raises InterpreterError."""

        def finish(outcome: Outcome, result: Result) -> bytes:
            outcome.check()
            assert result.values is not None
            code: bytes = values.objects(self.device, result.values, self._fetch, None)[0]
            return code

        call = self._go([program], None, finish, kind=kind, compiling=True)
        return call.result()
