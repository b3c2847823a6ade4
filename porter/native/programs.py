"""Programs whose machine code a GPU is opened with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import attrs
from attrs import field, frozen

from porter.native.kernels import KernelTarget
from porter.native.link import link_kernels
from porter.native.making import make_for
from porter.run.built import Built
from porter.run.device.linking import LinkedCode


@frozen
class KnownProgram:
    """A program. code: bytecode as InterpreterArray.compile has it, of the build's release and
    configuration, whichever target made it. name: what tracebacks call it."""

    code: bytes = field(repr=False)
    source: bytes = field(repr=False)
    name: str


@frozen(slots=False)
class _Collector(KernelTarget):
    """Keeps modules instead of finding them on a device."""

    modules: list[bytes] = field(factory=list)

    def load(self, made: Path, symbol: str) -> tuple[int, object]:
        """Keeps it."""
        self.modules.append(made.read_bytes())
        return len(self.modules), None


def link_programs(built: Built, programs: Sequence[KnownProgram]) -> LinkedCode | None:
    """The kernels of `built` with machine code of `programs`; None where none of them gains by it.

    Raises NotBuilt, UsageError where the build's kernels run none, NoNvcc, ToolMissing,
    BuildFailed.
    """
    target = KernelTarget.of(built)
    collector = _Collector(**attrs.asdict(target, recurse=False))
    for program in programs:
        make_for(collector, program.code, program.source, program.name)
    if not collector.modules:
        return None
    return link_kernels(target, collector.modules)
