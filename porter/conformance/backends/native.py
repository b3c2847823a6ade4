"""Conformance programs as machine code: a launch's tests are compiled together, all that is there.

What a test brings in while it runs (an import, `exec`) stays bytecode, and so does a test that does
not compile, which says so as the interpreter's.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import frozen

from porter.array.each import compile_each
from porter.compiler.options import CompilerOptions
from porter.native.batch import build_batch, link_batch, translate
from porter.native.host import HostTarget
from porter.native.kernels import KernelTarget
from porter.native.module import NativeModule
from porter.run import Device, Launch, Program, open_device
from porter.run.built import Built, open_build
from porter.run.device.host import HostTwin
from porter.run.device.linking import LinkedCode


@frozen
class TestCompiler:
    """Makes machine code of tests. device: makes their bytecode. options: those of all of them."""

    __test__ = False  # not a test of ours, whatever pytest thinks of the name

    device: Device
    target: HostTarget | KernelTarget
    options: CompilerOptions

    @classmethod
    def of(cls, folder: Path, target: str, options: CompilerOptions) -> TestCompiler:
        """For the build in `folder`. Raises UsageError where it runs no machine code."""
        built = open_build(folder)
        if target == "cuda":
            return cls(_bytecode_for(built), KernelTarget.of(built), options)
        device = open_device(built, target)
        assert isinstance(device, HostTwin)
        return cls(device, HostTarget.of(device), options)

    def codes(self, programs: Sequence[Program], launch: Launch) -> list[bytes | None]:
        """The bytecode of each program; None of one that does not compile."""
        return compile_each(self.device, launch, programs)[0]

    def machine(self, codes: Sequence[bytes | None]) -> tuple[Device, list[NativeModule | None]]:
        """What runs `codes`, and the machine code of each."""
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
        # A GPU's machine code is in the kernels that it is opened with.
        return open_device(self.target.built, "cuda", code=LinkedCode(cubin, {})), modules


def _bytecode_for(built: Built) -> Device:
    """A device whose bytecode the GPU's interpreters execute too: the host twin, where it is."""
    return open_device(built, "host" if "host" in built.whole.targets else "cuda")
