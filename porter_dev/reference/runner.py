"""Run conformance programs on the reference build, for `porter conformance --target reference`."""

from __future__ import annotations

import math
from pathlib import Path

import attrs

from porter.base import paths
from porter.config import BuildConfig
from porter.conformance.backends.process_runner import ProcessRunner, Start
from porter.conformance.file_images import BLOCK_SIZE, build_images
from porter.conformance.records import Script, ScriptRunner
from porter_dev.reference import build_reference


def open_reference(config: BuildConfig, timeout: float) -> ScriptRunner:
    """Open the runner of the reference build of `config`; build it first if necessary.

    Args:
        config: Configuration of the port, with the sizes of its interpreters.
        timeout: Seconds per test.

    Raises:
        PorterError: Building fails.
    """
    executable = build_reference(config, paths.build_dir() / f"reference-{config.release}")
    launcher = ReferenceLauncher(
        executable.resolve(),
        heap=config.heap,
        pystack=config.pystack,
        stack=config.stack,
        timeout=math.ceil(timeout) + 1,  # its own time limit is a second safeguard
        gc_stress=config.gc_stress,
    )
    return ProcessRunner("reference", launcher, timeout)


@attrs.frozen
class ReferenceLauncher:
    """A launcher for `build_reference`'s executable. Sizes are in bytes, `timeout` in seconds."""

    executable: Path
    heap: int = 512 << 10
    pystack: int = 32 << 10
    stack: int = 64 << 10
    timeout: int = 30
    gc_stress: bool = False

    def __call__(self, program: Script, folder: Path) -> Start:
        """Write the image and the sources into ``folder`` and return the command."""
        (folder / "image").write_bytes(build_images([program])[0])
        (folder / "setup").write_bytes(program.setup)
        (folder / "source").write_bytes(program.source)
        sizes = {"--heap": self.heap, "--pystack": self.pystack, "--stack": self.stack}
        argv = [str(self.executable), "--merge", "--fs", "image", "--fs-block", str(BLOCK_SIZE)]
        argv += ["--setup", "setup", "--name", program.name, "--timeout", str(self.timeout)]
        for name, value in sizes.items():
            argv += [name, str(value)]
        if self.gc_stress:
            argv.append("--gc-stress")
        return Start((*argv, "source"), folder)
