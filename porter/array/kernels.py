"""Opening a GPU whose kernels have machine code of programs in them."""

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
from porter.run.launch.binding import Binding


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
    """A GPU with the kernels of `built` and machine code of `sources`.

    An InterpreterArray on it (device=...) finds that machine code where it compiles one of these
    texts, with this name and kind, and native=True, or runs it with compiled=True; of other
    programs it has none. name, kind: as in InterpreterArray.compile, of all. launch: sizes of the
    interpreters that compile and try the programs. compiler: where these are, a device of a build
    of equal configuration; None: the build's host twin, else this GPU with the build's own kernels,
    which see nothing of a trial. n: how many interpreters will run them. bound: arrays by the names
    by which programs will find them (InterpreterArray.bind), or others of these types and sizes: a
    trial has stand-ins for them, and machine code knows what they hold. options: of open_device.

    Raises as InterpreterArray.compile, and ToolMissing, NoNvcc, NotBuilt, NoGpu, LaunchFailed.
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
