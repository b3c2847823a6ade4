"""A program as machine code for a launch without an array."""

from __future__ import annotations

from porter.array.code import compile_code, with_native
from porter.array.kernels import open_compiled
from porter.errors import InterpreterError, NotEnoughMemory, ProgramSyntaxError
from porter.native import Brought, Natives
from porter.run import Device, Launch, Program, open_device
from porter.run.launch.spec import SIZES, Phase

NOT_COMPILED = (ProgramSyntaxError, NotEnoughMemory, InterpreterError)


def compiled_device(device: Device, program: Program, launch: Launch) -> Device:
    """`device`; a GPU is opened anew, for its kernels need machine code of `program` in them.

    launch: how it will run. Where the program does not compile, the GPU has the build's own
    kernels. Raises as open_compiled.
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
    """The phase in which `n` interpreters run the code of `program`, and its machine code.

    launch: how they will. None where the program does not compile: running it says why. Raises
    UsageError where `device` runs no machine code, NoCompiler, BuildFailed.
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
