"""Run each program in a process of its own: for reference builds and other executables."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Protocol

import attrs

from porter.conformance.records import Script, ScriptOutcome, ScriptStatus


@attrs.frozen
class Start:
    """The command line of a program's process, its working directory and its stdin."""

    argv: tuple[str, ...]
    cwd: Path
    stdin: bytes = b""


class Launcher(Protocol):
    """A function that prepares one program in an empty folder of its own."""

    def __call__(self, program: Script, folder: Path) -> Start:
        """Write the process's files into ``folder`` and return its command."""
        ...


@attrs.frozen
class ProcessRunner:
    """A runner with a process for each program, several at a time.

    Exit status 0 means OK, 1 an uncaught exception (upstream's convention), any other one
    SystemExit. A signal means a crash.

    Attributes:
        target: Name of the target.
        launcher: Prepares each program.
        timeout: Seconds per program.
        jobs: Processes at a time.
    """

    target: str
    launcher: Launcher
    timeout: float = 30.0
    jobs: int = attrs.field(factory=lambda: min(8, os.cpu_count() or 1))

    def run(
        self,
        programs: Sequence[Script],
        done: Callable[[int, ScriptOutcome], None] | None = None,
    ) -> list[ScriptOutcome]:
        """Run all programs; see ``ScriptRunner.run``."""

        def one(numbered: tuple[int, Script]) -> ScriptOutcome:
            index, program = numbered
            outcome = self._run_one(program)
            if done is not None:
                done(index, outcome)
            return outcome

        with ThreadPoolExecutor(self.jobs) as pool:
            return list(pool.map(one, enumerate(programs)))

    def _run_one(self, program: Script) -> ScriptOutcome:
        with tempfile.TemporaryDirectory(prefix="porter-conformance-") as folder:
            start = self.launcher(program, Path(folder))
            begun = time.monotonic()
            process = subprocess.Popen(
                start.argv,
                cwd=start.cwd,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
            try:
                output, _ = process.communicate(start.stdin, timeout=self.timeout)
                status, note = _status(process.returncode)
            except subprocess.TimeoutExpired:
                process.kill()
                output, _ = process.communicate()
                status, note = ScriptStatus.TIMEOUT, f"no end after {self.timeout:g} s"
            output = output.replace(folder.encode(), b"")  # make paths as in an image
            return ScriptOutcome(output, status, seconds=time.monotonic() - begun, note=note)


def _status(code: int) -> tuple[ScriptStatus, str]:
    if code == 0:
        return ScriptStatus.OK, ""
    if code < 0:
        try:
            return ScriptStatus.CRASH, signal.Signals(-code).name
        except ValueError:
            return ScriptStatus.CRASH, f"signal {-code}"
    return (ScriptStatus.EXCEPTION, "") if code == 1 else (ScriptStatus.EXIT, f"exit status {code}")


@attrs.frozen
class HostDirectoryLauncher:
    """A launcher for an executable like upstream's unix port, on a folder of the host.

    The executable starts in the program's directory, with the program's path as its argument.
    """

    executable: Path

    def __call__(self, program: Script, folder: Path) -> Start:
        """Write the program's tree into ``folder`` and return its command."""
        for name, data in (*program.tree, (program.name.lstrip("/"), program.source)):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        cwd = folder / program.cwd.lstrip("/")
        script = folder / program.name.lstrip("/")
        return Start((str(self.executable), str(script)), cwd)
