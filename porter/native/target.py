"""What makes machine code of C++ for a device and loads it: one class for each kind of device."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from porter.compiler.options import Enter
from porter.compiler.tables import Tables
from porter.errors import UsageError
from porter.native.host import HostTarget
from porter.run import Device
from porter.run.device.host import HostTwin
from porter.run.device.several import Several

HINT = "Ask for none: the program runs interpreted, and does the same."


class NativeTarget(Protocol):
    """A device of a build, as the tier needs it.

    tables: the build's instructions. prelude: what C++ for it begins with. suffix: of files of
    machine code. symbol: of the function that runs it, where there is one of that name.
    identity: what the machine code depends on, besides the C++ that it is made of. enter: where it
    is entered there, as CompilerOptions has it.
    """

    @property
    def enter(self) -> Enter: ...

    @property
    def suffix(self) -> str: ...
    @property
    def tables(self) -> Tables: ...
    @property
    def prelude(self) -> Path: ...
    @property
    def identity(self) -> tuple[str, ...]: ...

    def build(self, source: Path, made: Path) -> None:
        """Make the machine code `made` of the C++ in `source`. Raises ToolMissing, BuildFailed."""

    def load(self, made: Path, symbol: str) -> tuple[int, object]:
        """`Native.run` of `symbol` in the machine code `made`, and what owns that.

        Raises LaunchFailed.
        """


def target_of(device: Device) -> NativeTarget:
    """What makes machine code for `device`. Raises UsageError where nothing does, NoCompiler."""
    if isinstance(device, Several):
        raise UsageError("several devices run no machine code of programs yet", hint=HINT)
    if isinstance(device, HostTwin):
        return HostTarget.of(device)
    raise UsageError(
        f"{device.name} runs machine code of programs that it was opened with alone",
        hint=HINT,
    )
