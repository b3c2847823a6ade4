"""Programs whose machine code a GPU is opened with."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from attrs import field, frozen

from porter.compiler.options import CompilerOptions
from porter.native.kernels import KernelTarget
from porter.native.link import link_kernels
from porter.native.making import make_for
from porter.run.built import Built
from porter.run.device.linking import LinkedCode


@frozen
class KnownProgram:
    """A program before a GPU is opened.

    code: its bytecode as InterpreterArray.compile has it, of the build's release and configuration,
    whichever target made it. name: what tracebacks call it. hints: what a trial of it saw.
    """

    code: bytes = field(repr=False)
    source: bytes = field(repr=False)
    name: str
    hints: bytes = field(default=b"", repr=False)


def link_programs(built: Built, programs: Sequence[KnownProgram]) -> LinkedCode:
    """The kernels of `built` with machine code of those `programs` that gain by it.

    Raises NotBuilt, UsageError where the build's kernels run none, NoNvcc, ToolMissing,
    BuildFailed.
    """
    target = KernelTarget.of(built)
    modules = {}
    for program in programs:
        options = CompilerOptions(hints=program.hints)
        made = make_for(target, program.code, program.source, program.name, None, options)
        modules[hashlib.sha256(program.code).hexdigest()] = made
    return LinkedCode(link_kernels(target) if target.cubins else None, modules)
