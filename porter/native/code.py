"""Bytecode: compiled once, kept in device memory, executed by all interpreters from there.

`compile_code` compiles one source, `compile_each` several sources in one launch. `with_native` adds
native code. Callers: arrays, `porter run --compiled` (known_programs.py), tests of the compiled
tier.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NoReturn

import attrs
import numpy as np
from attrs import field, frozen

from porter.base.arguments import text
from porter.base.exception_record import ExceptionRecord, is_there, record_of
from porter.compiler.options import CompilerOptions
from porter.errors import InterpreterError, NotEnoughMemory, ProgramSyntaxError, UsageError
from porter.native.compilation import make
from porter.native.module import NativeModule
from porter.native.profiling_run import ProfilingRun
from porter.run import Device, Launch, Program, Result, run
from porter.run.advice import advice
from porter.run.device.base import Array
from porter.run.launch.bindings import Binding
from porter.run.launch.native_code import Native
from porter.run.launch.options import Fetch, Phase
from porter.run.launch.order import BARRIER
from porter.run.launch.plan import footprint
from porter.run.result import refuse_broken
from porter.run.values import objects


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


def program_of(source: object, name: str) -> Program:
    """Make the program of one source. Raises UsageError, WrongType."""
    if not isinstance(source, str | bytes):
        raise UsageError("source: one text is compiled at a time")
    return Program(source, text(name, "name"))


def compile_code(device: Device, launch: Launch, source: bytes, name: str, kind: str) -> Code:
    """Compile source in a single interpreter with the sizes of `launch`.

    Raises:
        ProgramSyntaxError: The source does not compile.
        NotEnoughMemory: The heap is too small.
        InterpreterError: Compiling raised another exception.
    """
    alone = attrs.evolve(launch, block=0)
    (code,), result = compile_each(device, alone, [Program(source, name)], kind)
    if code is None:
        _raise_failure(result, name, footprint(device, launch).heap)
    memory = device.array(np.frombuffer(code, np.uint8))
    return Code(name, kind, device, memory, BARRIER in source, None, source)


def _raise_failure(result: Result, name: str, heap: int) -> NoReturn:
    """Raise the exception of a single interpreter that compiled `name`."""
    record = _record(result)
    if record.type in ("SyntaxError", "IndentationError"):
        raise ProgramSyntaxError(record.traceback.rstrip())
    if record.type == "MemoryError":
        raise NotEnoughMemory(
            f"{name} does not compile in a heap of {heap} bytes", hint="Make heap larger."
        )
    hint = advice(result.lacks, 1, python=True)
    lines = [f"1 of 1 interpreters raised {record.type}", f"1x:\n{record.traceback.rstrip()}"]
    message = "\n".join([*lines, *([hint] if hint else [])])
    raise InterpreterError(message, hint=hint, exceptions=(record,))


def _record(result: Result) -> ExceptionRecord:
    """Return the record of the exception that ended the first interpreter."""
    assert result.records is not None
    data = result.records[0]
    if is_there(data):
        return record_of(data)
    name = result.statuses.name_of(int(result.status[0]))
    return ExceptionRecord("Exception", f"ended with the status {name}")


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
    run = ProfilingRun(device, code.memory, code.kind, launch, n, bindings)
    bytecode = device.host(code.memory).tobytes()
    made = make(device, bytecode, code.source, code.name, run, options)
    return attrs.evolve(code, native=made)


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
    device: Device, launch: Launch, programs: Sequence[Program], kind: str = "file"
) -> tuple[list[bytes | None], Result]:
    """Compile each program in its own interpreter.

    The interpreters have no file system, because compiling imports nothing.

    Args:
        device: The device.
        launch: The sizes of the interpreters.
        programs: The programs.
        kind: "file", "single" or "eval".

    Returns:
        The bytecode of each program, None where it does not compile, and the result of the launch.

    Raises:
        NotEnoughMemory: The interpreters do not fit, or their heap is too small to boot.
        LaunchFailed: The device failed.
    """
    n = len(programs)
    launch = attrs.evolve(launch, fs=None, kind=kind)
    need = footprint(device, launch)
    arenas = device.arenas(n, need.pystack, need.heap)
    phase = Phase(arenas=arenas, stop=False, compiling=True, values=True, records=True)
    which = np.arange(n, dtype=np.uint32)
    result = run(device, programs, n, launch, phase, program_of=which)
    result.raise_unless_started("heap")
    refuse_broken(result)
    assert result.values is not None

    def fetch(destination: Fetch) -> None:
        silent = attrs.evolve(launch, stdout=0, stderr=0)
        phase = Phase(arenas=arenas, stop=False, execute=False, fetch=destination)
        refuse_broken(run(device, [], n, silent, phase))

    found = objects(device, result.values, fetch, None)
    return [code if isinstance(code, bytes) else None for code in found], result
