"""The `NativeTarget` for the host twin: g++ compiles a shared library, loaded next to the build's.

The library of a program is linked with the build's `libgpusnek.so`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from attrs import frozen

from porter import toolchain
from porter.base.process import run
from porter.compiler.options import Enter
from porter.compiler.stored import INSTRUCTIONS, PRELUDE, load_tables
from porter.compiler.tables import Tables
from porter.errors import BuildFailed, LaunchFailed, ToolFailed, UsageError
from porter.run.device.host import HostTwin

LIBRARY = "libgpusnek.so"
SECONDS = 600.0  # time limit of g++
# These options follow the build's own. -g0: debug information of the prelude would be most of the
# file. -frounding-math: without it GCC compiles `0.0 - (double)i` as a negation, which gives -0.0
# for i = 0.
OPTIONS = ("-g0", "-fvisibility=hidden", "-fno-exceptions", "-frounding-math")


@frozen(slots=False)
class HostTarget:
    """The target that compiles native code for a host twin.

    Attributes:
        library: The build's `libgpusnek.so`.
        prelude: As `NativeTarget.prelude`.
        instructions: File of the build's instruction tables.
        compiler: Path of g++.
        flags: Flags of g++.
        identity: As `NativeTarget.identity`.
        suffix: As `NativeTarget.suffix`.
        enter: As `NativeTarget.enter`.
    """

    library: Path
    prelude: Path
    instructions: Path
    compiler: Path
    flags: tuple[str, ...]
    identity: tuple[str, ...]
    suffix: str = ".so"
    enter: Enter = "usual"

    @classmethod
    def of(cls, twin: HostTwin) -> HostTarget:
        """Return the target for the device `twin`.

        Raises:
            UsageError: The build runs no native code.
            NoCompiler: There is no usable g++.
        """
        built, variant = twin.built, twin.variant
        output = built.whole.targets[variant]
        names = [f"{variant}/{name}" for name in (LIBRARY, PRELUDE, INSTRUCTIONS)]
        if any(name not in output.files for name in names):
            raise UsageError(
                f"the build in {built.folder} runs no native code of programs",
                hint="Make one with `porter build`, and without --float single, --bounds-checks, "
                "--profile and --variant: these exclude native code.",
            )
        tool = toolchain.gxx()
        library, prelude, instructions = (
            built.file(variant, name) for name in (LIBRARY, PRELUDE, INSTRUCTIONS)
        )
        # Measured: for this C++ -O2 produces no faster code than -O1, and takes twice as long.
        sooner = ("-O1",) if "-O2" in output.flags else ()
        flags = (*output.flags, *OPTIONS, *sooner)
        # The program's library refers to the build's by path, so the path is part of the identity.
        made_of = (output.files[name].sha256 for name in names)
        identity = ("host", str(library), *made_of, str(tool.path), tool.version, *flags)
        return cls(library, prelude, instructions, tool.path, flags, identity)

    @cached_property
    def tables(self) -> Tables:
        """The build's instructions. Raises NotBuilt."""
        return load_tables(self.instructions)

    def build(self, source: Path, made: Path) -> None:
        """See NativeTarget."""
        begins = ("-include", self.prelude, "-x", "c++", source, "-x", "none", self.library)
        command: Sequence[str | Path] = (self.compiler, *self.flags, *begins, "-o", made)
        try:
            run(command, timeout=SECONDS, tied=True)
        except ToolFailed as error:
            raise BuildFailed(f"native code of {source}: {error.message}") from error

    def load(self, made: Path, symbol: str) -> tuple[int, object]:
        """Load a library, which stays loaded until the process ends; see NativeTarget."""
        try:
            library = ctypes.CDLL(str(made))
            address = ctypes.cast(getattr(library, symbol), ctypes.c_void_p).value
        except (OSError, AttributeError) as error:
            raise LaunchFailed(f"{made} does not load: {error}") from error
        assert address is not None
        return address, library
