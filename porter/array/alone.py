"""A program as machine code for a launch without an array."""

from __future__ import annotations

from porter.array.code import compile_code, with_native
from porter.errors import InterpreterError, NotEnoughMemory, ProgramSyntaxError
from porter.native import Brought, Natives
from porter.run import Device, Launch, Program
from porter.run.launch.spec import SIZES, Phase


def compiled_phase(
    device: Device, program: Program, n: int, launch: Launch
) -> tuple[Phase, Brought] | tuple[None, None]:
    """The phase in which `n` interpreters run the code of `program`, and its machine code.

    launch: how they will. None where the program does not compile: running it says why. Raises
    UsageError where `device` runs no machine code, NoCompiler, BuildFailed.
    """
    sizes = Launch(sandbox=launch.sandbox, **{name: getattr(launch, name) for name in SIZES})
    try:
        code = compile_code(device, sizes, program.source, program.name, "file")
    except (ProgramSyntaxError, NotEnoughMemory, InterpreterError):
        return None, None
    code = with_native(code, launch, n)
    natives = Natives(device, n)
    if code.native is not None:
        natives.add(code.native, code.memory)
    brought = natives.bring()
    return Phase(compiled=code.memory, natives=brought.natives), brought
