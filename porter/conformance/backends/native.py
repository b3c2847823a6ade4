"""Compile conformance programs to native code, all tests of a launch together.

Code that a test loads at run time (an import, `exec`) stays bytecode. A test that does not compile
runs in the interpreter, which reports the error.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import frozen

from porter.compiler.options import CompilerOptions
from porter.native.batch import build_batch, link_batch, translate
from porter.native.code import compile_each
from porter.native.host import HostTarget
from porter.native.kernels import KernelTarget
from porter.native.module import NativeModule
from porter.run import Device, Launch, Program, open_device
from porter.run.built import Built, open_build
from porter.run.device.host import HostTwin
from porter.run.device.linking import LinkedCode


@frozen
class TestCompiler:
    """A compiler of tests to native code.

    Attributes:
        device: Device that compiles the tests to bytecode.
        target: Target of the native compiler.
        options: Compiler options for all tests.
    """

    __test__ = False  # keeps pytest from collecting this class

    device: Device
    target: HostTarget | KernelTarget
    options: CompilerOptions

    @classmethod
    def of(cls, folder: Path, target: str, options: CompilerOptions) -> TestCompiler:
        """Open the build in `folder`. Raises UsageError if it does not support native code."""
        built = open_build(folder)
        if target == "cuda":
            return cls(_bytecode_for(built), KernelTarget.of(built), options)
        device = open_device(built, target)
        assert isinstance(device, HostTwin)
        return cls(device, HostTarget.of(device), options)

    def codes(self, programs: Sequence[Program], launch: Launch) -> list[bytes | None]:
        """Compile each program to bytecode; None for a program that does not compile."""
        return compile_each(self.device, launch, programs)[0]

    def machine(self, codes: Sequence[bytes | None]) -> tuple[Device, list[NativeModule | None]]:
        """Compile `codes` to native code; return the device to run on, and a module per program."""
        made = [
            None
            if code is None
            else translate(self.target, code, i, loops=False, options=self.options)
            for i, code in enumerate(codes)
        ]
        jobs = os.cpu_count() or 1
        with TemporaryDirectory(prefix="porter-conformance-") as name:
            folder = Path(name)
            if isinstance(self.target, HostTarget):
                return self.device, build_batch(self.target, made, folder, jobs)
            cubin, modules = link_batch(self.target, made, folder, jobs)
        # A GPU's native code is linked into the kernels, so the device opens anew.
        return open_device(self.target.built, "cuda", code=LinkedCode(cubin, {})), modules


def _bytecode_for(built: Built) -> Device:
    """Open a device that compiles for the GPU's interpreters: the host twin if the build has it."""
    return open_device(built, "host" if "host" in built.whole.targets else "cuda")
