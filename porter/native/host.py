"""Machine code for the host twin: g++ makes a library, loaded beside `libgpusnek.so`."""

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
SECONDS = 600.0  # that g++ may take
# Behind the build's own options: debug information of the prelude would be most of the file. And
# GCC makes `0.0 - (double)i` a negation, which gives -0.0 for 0, unless roundings may be any.
OPTIONS = ("-g0", "-fvisibility=hidden", "-fno-exceptions", "-frounding-math")


@frozen(slots=False)
class HostTarget:
    """The host twin with the library `library`. identity: see NativeTarget."""

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
        """For the device `twin`. Raises UsageError, NoCompiler."""
        built, variant = twin.built, twin.variant
        output = built.whole.targets[variant]
        names = [f"{variant}/{name}" for name in (LIBRARY, PRELUDE, INSTRUCTIONS)]
        if any(name not in output.files for name in names):
            raise UsageError(
                f"the build in {built.folder} runs no machine code of programs",
                hint="Make one with `porter build`, and without --float single, --fences, "
                "--profile and --variant: builds with these have none.",
            )
        tool = toolchain.gxx()
        library, prelude, instructions = (
            built.file(variant, name) for name in (LIBRARY, PRELUDE, INSTRUCTIONS)
        )
        # Of such C++ -O2 makes no faster code than -O1 (measured), and takes twice as long.
        sooner = ("-O1",) if "-O2" in output.flags else ()
        flags = (*output.flags, *OPTIONS, *sooner)
        # A library names the one that it is linked with by its path, so it is good there alone.
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
            raise BuildFailed(f"machine code of {source}: {error.message}") from error

    def load(self, made: Path, symbol: str) -> tuple[int, object]:
        """See NativeTarget. What is loaded stays until the process ends."""
        try:
            library = ctypes.CDLL(str(made))
            address = ctypes.cast(getattr(library, symbol), ctypes.c_void_p).value
        except (OSError, AttributeError) as error:
            raise LaunchFailed(f"{made} does not load: {error}") from error
        assert address is not None
        return address, library
