"""Compile a program to native code for a launch without an InterpreterArray."""

from __future__ import annotations

from porter.array.code import compile_code, with_native
from porter.array.kernels import open_compiled
from porter.errors import InterpreterError, NotEnoughMemory, ProgramSyntaxError
from porter.native import Brought, Natives
from porter.run import Device, Launch, Program, open_device
from porter.run.launch.options import SIZES, Phase

NOT_COMPILED = (ProgramSyntaxError, NotEnoughMemory, InterpreterError)


def compiled_device(device: Device, program: Program, launch: Launch) -> Device:
    """Return a device that can run native code of `program`.

    A GPU is reopened, because its kernels must contain that code. Where the program does not
    compile, the GPU gets the build's own kernels. Raises as open_compiled.

    Args:
        device: An open device; a GPU is closed.
        program: The program.
        launch: The launch that will run it.
    """
    if device.name != "cuda":
        return device
    device.close()
    try:
        sizes = _compiling(launch)
        return open_compiled(device.built, [program.source], name=program.name, launch=sizes)
    except NOT_COMPILED:
        return open_device(device.built, "cuda")


def compiled_phase(
    device: Device, program: Program, n: int, launch: Launch
) -> tuple[Phase, Brought] | tuple[None, None]:
    """Compile `program`, and return the phase that runs its bytecode with native code.

    Args:
        device: The device that will run it.
        program: The program.
        n: Number of interpreters that will run it.
        launch: The launch that will run it.

    Returns:
        The phase and its native code; None where the program does not compile, which running it
        reports.

    Raises:
        UsageError: The device runs no native code.
        NoCompiler: There is no C++ compiler.
        BuildFailed: The C++ compiler failed.
    """
    try:
        code = compile_code(device, _compiling(launch), program.source, program.name, "file")
    except NOT_COMPILED:
        return None, None
    code = with_native(code, launch, n)
    natives = Natives(device, n)
    if code.native is not None:
        natives.add(code.native, code.memory)
    brought = natives.bring()
    return Phase(compiled=code.memory, natives=brought.natives), brought


def _compiling(launch: Launch) -> Launch:
    return Launch(sandbox=launch.sandbox, **{name: getattr(launch, name) for name in SIZES})
