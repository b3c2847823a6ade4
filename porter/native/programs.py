"""Compile and link the programs with which a GPU is opened.

porter/array/kernels.py compiles the programs to bytecode, collects type feedback (on the build's
host twin if there is one), and opens a device with the kernels linked here.
"""

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
    """A program that is known before a GPU is opened.

    Attributes:
        code: Its bytecode, as `InterpreterArray.compile` returns it. Any target of a build with the
            same release and configuration may have compiled it.
        source: Its Python source.
        name: Its name in tracebacks.
        hints: Type feedback of a profiling run; empty if there is none.
    """

    code: bytes = field(repr=False)
    source: bytes = field(repr=False)
    name: str
    hints: bytes = field(default=b"", repr=False)


def link_programs(built: Built, programs: Sequence[KnownProgram]) -> LinkedCode:
    """Compile programs, and link their native code with the kernels of a build.

    Args:
        built: The build, with a target for GPUs.
        programs: The programs. Those that gain nothing by native code stay bytecode.

    Raises:
        NotBuilt: The build has no target for GPUs.
        UsageError: The build's kernels run no native code.
        NoNvcc: There is no usable nvcc.
        ToolMissing: nvlink or ar is missing.
        BuildFailed: A tool fails.
    """
    target = KernelTarget.of(built)
    modules = {}
    for program in programs:
        options = CompilerOptions(hints=program.hints)
        made = make_for(target, program.code, program.source, program.name, None, options)
        modules[hashlib.sha256(program.code).hexdigest()] = made
    return LinkedCode(link_kernels(target) if target.cubins else None, modules)
