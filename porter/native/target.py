"""Backends of the compiled tier: the protocol that compiles C++ for a device and loads the result.

host.py implements it for the host twin, kernels.py for GPUs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from porter.compiler.options import Enter
from porter.compiler.tables import Tables
from porter.errors import UsageError
from porter.native.host import HostTarget
from porter.run import Device
from porter.run.device.host import HostTwin

HINT = "Ask for none: the program runs interpreted, and does the same."


class NativeTarget(Protocol):
    """A backend for one target of a build.

    Attributes:
        enter: How the interpreter enters native code, as `CompilerOptions.enter`.
        suffix: Suffix of files of native code.
        tables: Instructions of the build.
        prelude: File of the C++ that precedes each program's C++.
        identity: Everything that native code depends on, except its C++; part of the cache key.
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
        """Compile the C++ in `source` to the file `made`.

        Raises:
            ToolMissing: The compiler is missing.
            BuildFailed: The C++ does not compile.
        """

    def load(self, made: Path, symbol: str) -> tuple[int, object]:
        """Load a file of native code.

        Args:
            made: The file.
            symbol: Name of the function that runs the native code, if the target uses it.

        Returns:
            The function as `Native.run`, and the owner of the loaded code.

        Raises:
            LaunchFailed: The file does not load.
        """


def target_of(device: Device) -> NativeTarget:
    """Return the backend for a device.

    Raises:
        UsageError: The device runs no native code, or only that of programs it was opened with.
        NoCompiler: There is no usable g++.
    """
    if device.native_refusal:
        raise UsageError(device.native_refusal, hint=HINT)
    assert isinstance(device, HostTwin)  # the only device that loads native code once it is open
    return HostTarget.of(device)
