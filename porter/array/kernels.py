"""Open a GPU with kernels that contain native code of programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from porter.array.code import compile_code
from porter.array.opening import check_count
from porter.array.sources import Source, program_of
from porter.base.arguments import choice
from porter.native.programs import KnownProgram, link_programs
from porter.native.standins import like_arrays
from porter.native.trial import ProgramTrial
from porter.run import Device, Launch, open_device
from porter.run.built import Built
from porter.run.launch.bindings import Binding


def open_compiled(
    built: Built,
    sources: Sequence[Source],
    *,
    name: str = "<string>",
    kind: str = "file",
    launch: Launch | None = None,
    compiler: Device | None = None,
    n: int = 1,
    bound: Mapping[str, Any] | None = None,
    **options: Any,
) -> Device:
    """Open a GPU with the kernels of `built` and native code of `sources`.

    An InterpreterArray on the device (device=...) uses that native code where it compiles one of
    these texts with this name and kind and native=True, or runs it with compiled=True. There is no
    native code of other programs. Raises also the exceptions of InterpreterArray.compile.

    Args:
        built: The build.
        sources: The programs' sources.
        name: The name of all, as in InterpreterArray.compile.
        kind: The kind of all, as in InterpreterArray.compile.
        launch: Sizes of the interpreters that compile and profile the programs.
        compiler: The device of these interpreters, of a build with equal configuration. None: the
            build's host twin, or else this GPU with the build's own kernels, which record no type
            feedback.
        n: Number of interpreters that will run the programs.
        bound: Arrays by the names under which programs will see them (InterpreterArray.bind), or
            arrays of equal types and sizes. The profiling run uses substitutes, and native code
            is specialized for their element types.
        options: Options of open_device.

    Raises:
        ToolMissing: A tool of the CUDA toolkit is missing.
        NoNvcc: There is no nvcc.
        NotBuilt: The build has no cuda target.
        NoGpu: There is no GPU.
        LaunchFailed: The linked kernels cannot be loaded.
    """
    choice(kind, "kind", ("file", "single", "eval"))
    check_count(n)
    device = compiler
    if device is None:
        twin = "host" in built.whole.targets
        device = open_device(built, "host") if twin else open_device(built, "cuda", **options)
    try:
        sizes, stand_ins = launch or Launch(), like_arrays(device, bound or {})
        programs = [_known(device, sizes, n, stand_ins, s, name, kind) for s in sources]
    finally:
        if compiler is None:
            device.close()
    return open_device(built, "cuda", code=link_programs(built, programs), **options)


def _known(
    device: Device,
    launch: Launch,
    n: int,
    bindings: Sequence[Binding],
    source: Source,
    name: str,
    kind: str,
) -> KnownProgram:
    text = program_of(source, name).source
    code = compile_code(device, launch, text, name, kind)
    seen = ProgramTrial(device, code.memory, kind, launch, n, bindings).seen()
    return KnownProgram(device.host(code.memory).tobytes(), text, name, seen)
