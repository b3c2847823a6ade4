"""Programs that are known before a launch: their native code in a GPU's kernels, and their launch.

The native code of a kernel is linked as a whole, so a GPU is opened with its programs.
`open_compiled` does so for several programs of an array. `compiled_device` and `compiled_phase`
prepare the launch of one program, for `porter run --compiled`. Bytecode and type feedback come from
the build's host twin if there is one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import field, frozen

from porter.base.arguments import choice, whole
from porter.compiler.options import CompilerOptions
from porter.errors import InterpreterError, NotEnoughMemory, ProgramSyntaxError
from porter.native.code import compile_code, program_of, with_native
from porter.native.compilation import make_for
from porter.native.natives import Brought, Natives
from porter.native.profiling_run import ProfilingRun
from porter.native.stubs import like_arrays
from porter.run import Device, Launch, Program, open_device
from porter.run.built import Built
from porter.run.device.linked_code import LinkedCode
from porter.run.launch.bindings import Binding
from porter.run.launch.options import SIZES, Phase
from porter.run.launch.plan import MAXIMUM


@frozen
class KnownProgram:
    """A program that is known before a GPU is opened.

    Attributes:
        code: Its bytecode, as `InterpreterArray.compile` returns it. Any target of a build with the
            same release and configuration may have compiled it.
        source: Its Python source.
        name: Its name in tracebacks.
        hints: Type feedback of a profiling run; empty without a run.
    """

    code: bytes = field(repr=False)
    source: bytes = field(repr=False)
    name: str
    hints: bytes = field(default=b"", repr=False)


def link_programs(built: Built, programs: Sequence[KnownProgram]) -> LinkedCode:
    """Compile programs, and link their native code with the kernels of a build.

    Args:
        built: The build, with a target for GPUs.
        programs: The programs. A program that gains nothing by native code stays bytecode.

    Raises:
        NotBuilt: The build has no target for GPUs.
        UsageError: The build's kernels run no native code.
        NoNvcc: There is no usable nvcc.
        ToolMissing: nvlink or ar is missing.
        BuildFailed: A tool fails.
    """
    # Their imports need the packages of a machine that builds.
    from porter.native.kernels import KernelTarget
    from porter.native.link import link_kernels

    target = KernelTarget.of(built)
    modules = {}
    for program in programs:
        options = CompilerOptions(hints=program.hints)
        made = make_for(target, program.code, program.source, program.name, None, options)
        modules[hashlib.sha256(program.code).hexdigest()] = made
    return LinkedCode(link_kernels(target) if target.cubins else None, modules)


def open_compiled(
    built: Built,
    sources: Sequence[str | bytes],
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
            arrays of equal types and sizes. The profiling run uses stubs of them, and native
            code is specialized for their element types.
        options: Options of open_device.

    Raises:
        ToolMissing: A tool of the CUDA toolkit is missing.
        NoNvcc: There is no nvcc.
        NotBuilt: The build has no cuda target.
        NoGpu: There is no GPU.
        LaunchFailed: The linked kernels cannot be loaded.
    """
    choice(kind, "kind", ("file", "single", "eval"))
    whole(n, "n", 1, MAXIMUM)
    device = compiler
    if device is None:
        twin = "host" in built.whole.targets
        device = open_device(built, "host") if twin else open_device(built, "cuda", **options)
    try:
        sizes, stubs = launch or Launch(), like_arrays(device, bound or {})
        programs = [_known(device, sizes, n, stubs, s, name, kind) for s in sources]
    finally:
        if compiler is None:
            device.close()
    return open_device(built, "cuda", code=link_programs(built, programs), **options)


def _known(
    device: Device,
    launch: Launch,
    n: int,
    bindings: Sequence[Binding],
    source: str | bytes,
    name: str,
    kind: str,
) -> KnownProgram:
    text = program_of(source, name).source
    code = compile_code(device, launch, text, name, kind)
    seen = ProfilingRun(device, code.memory, kind, launch, n, bindings).seen()
    return KnownProgram(device.host(code.memory).tobytes(), text, name, seen)


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
