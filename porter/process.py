"""The one place that starts subprocesses."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from attrs import frozen

from porter.errors import ToolFailed, ToolMissing, ToolTimedOut

TAIL_LINES = 40


@frozen
class Completed:
    """What a subprocess left: its command, exit status, outputs and seconds of wall time."""

    argv: tuple[str, ...]
    returncode: int
    stdout: str
    stderr: str
    seconds: float

    @property
    def output(self) -> str:
        """stdout, then stderr."""
        return self.stdout + self.stderr


def tail(text: str, lines: int = TAIL_LINES) -> str:
    """The last `lines` lines of `text`, with a mark where something was left out."""
    rows = text.rstrip().splitlines()
    if len(rows) <= lines:
        return "\n".join(rows)
    return "\n".join([f"... ({len(rows) - lines} lines left out)", *rows[-lines:]])


def run(
    argv: Sequence[str | Path],
    *,
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float | None = None,
    check: bool = True,
    input: str | None = None,
) -> Completed:
    """Run `argv` to its end and return its outputs as text.

    `env` is laid over this process's environment. `timeout` is in seconds; when it passes, the
    process and its children are stopped. Raises ToolMissing, ToolTimedOut, and with `check`
    ToolFailed for a status other than 0; `input` None means an empty stdin.
    """
    command = tuple(str(arg) for arg in argv)
    shown = shlex.join(command)
    start = time.monotonic()
    try:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env={**os.environ, **env} if env is not None else None,
            stdin=subprocess.DEVNULL if input is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,  # so that a timeout stops the children too
        )
    except FileNotFoundError as error:
        if cwd is not None and not Path(cwd).is_dir():
            raise ToolFailed(f"cannot run {shown}: no folder {cwd}", argv=command) from error
        raise ToolMissing(
            f"cannot run {command[0]}: not found",
            hint=f"Install {Path(command[0]).name} or put it on PATH; `porter doctor` says more.",
        ) from error
    except OSError as error:
        raise ToolFailed(f"cannot run {shown}: {error.strerror}", argv=command) from error
    try:
        stdout, stderr = process.communicate(input, timeout)
    except subprocess.TimeoutExpired as error:
        _stop(process)
        stdout, stderr = process.communicate()
        raise ToolTimedOut(
            _with_output(f"{shown}: no end after {timeout:g} s", stdout + stderr),
            argv=command,
            output=tail(stdout + stderr),
        ) from error
    except BaseException:  # Ctrl-C: leave no child behind
        _stop(process)
        process.wait()
        raise
    seconds = time.monotonic() - start
    done = Completed(command, process.returncode, stdout, stderr, seconds)
    if check and done.returncode != 0:
        raise ToolFailed(
            _with_output(f"{shown}: {_status(done.returncode)}", done.output),
            argv=command,
            output=tail(done.output),
            returncode=done.returncode,
        )
    return done


def _stop(process: subprocess.Popen[str]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        process.kill()


def _status(returncode: int) -> str:
    if returncode < 0:
        try:
            return f"ended by {signal.Signals(-returncode).name}"
        except ValueError:
            return f"ended by signal {-returncode}"
    return f"failed with status {returncode}"


def _with_output(message: str, output: str) -> str:
    shown = tail(output)
    return f"{message}\n{shown}" if shown else message
