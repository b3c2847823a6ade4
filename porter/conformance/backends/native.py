"""Conformance programs as machine code: a launch's tests are compiled together, all that is there.

What a test brings in while it runs (an import, `exec`) stays bytecode, and so does a test that does
not compile, which says so as the interpreter's.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from attrs import frozen

from porter.array.each import CodeOfEach, compile_each
from porter.compiler.options import CompilerOptions
from porter.native.batch import build_batch, translate
from porter.native.host import HostTarget
from porter.native.module import NativeModule
from porter.run import Device, Launch, Program
from porter.run.launch.spec import Phase


@frozen
class TestCompiler:
    """Makes machine code of tests. options: those of all of them."""

    __test__ = False  # not a test of ours, whatever pytest thinks of the name

    device: Device
    target: HostTarget
    options: CompilerOptions

    def codes(self, programs: Sequence[Program], launch: Launch) -> list[bytes | None]:
        """The bytecode of each program; None of one that does not compile."""
        return compile_each(self.device, launch, programs)[0]

    def phase(self, codes: Sequence[bytes], phase: Phase) -> Phase:
        """`phase`, in which interpreter i executes the i-th of `codes` and its machine code."""
        each = CodeOfEach.of(self.device, codes)
        with TemporaryDirectory(prefix="porter-conformance-") as folder:
            modules = self._modules(codes, Path(folder))
        return each.phase(modules, arenas=phase.arenas, stop=phase.stop)

    def _modules(self, codes: Sequence[bytes], folder: Path) -> list[NativeModule | None]:
        made = [
            translate(self.target, code, i, loops=False, options=self.options)
            for i, code in enumerate(codes)
        ]
        return build_batch(self.target, made, folder, os.cpu_count() or 1)


def numbers(n: int) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    """Interpreter i runs program i."""
    return np.arange(n, dtype=np.uint32)
