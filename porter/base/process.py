"""Run programs to completion, with a time limit, and child processes that end with their parent."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

from attrs import frozen

from porter.errors import ToolFailed, ToolMissing, ToolTimedOut

_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_prctl: Callable[[int, int], int] | None = (
    ctypes.CDLL(None).prctl if sys.platform == "linux" else None
)


def tie(sent: int = signal.SIGTERM) -> None:
    """Ask the kernel to send this process `sent` when its parent dies; only on Linux.

    Safe as a `preexec_fn`: it makes one system call.
    """
    if _prctl is not None:
        _prctl(_PR_SET_PDEATHSIG, int(sent))


@contextmanager
def undisturbed() -> Iterator[None]:
    """Block SIGINT inside the block: Python loses a KeyboardInterrupt raised during a fork."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def begin_worker() -> None:
    """Initialize a worker of a pool: it ends with its parent, which alone handles Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tie(signal.SIGKILL)
    parent = multiprocessing.parent_process()
    if parent is not None and not parent.is_alive():  # the parent died before `tie`
        os._exit(1)


def kill_workers(pool: ProcessPoolExecutor) -> None:
    """Kill the processes of `pool` at once, so that `shutdown` does not wait for them."""
    # Python 3.14 has kill_workers().
    for process in list((getattr(pool, "_processes", None) or {}).values()):
        process.kill()
    if sys.version_info < (3, 11, 5):
        # `shutdown` waits for the thread that writes calls into a pipe. The write would block for
        # ever, since this process holds the pipe's other end too; later Pythons close it.
        queue = getattr(pool, "_call_queue", None)
        if queue is not None:
            queue._reader.close()


TAIL_LINES = 40
GRACE = 2.0  # seconds between SIGTERM and SIGKILL


@frozen
class Completed:
    """The result of a subprocess: command, exit status, outputs and wall time in seconds."""

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
    """Return the last `lines` lines of `text`, after a note if lines were left out."""
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
    tied: bool = False,
    line: Callable[[str], None] | None = None,
) -> Completed:
    """Run `argv` to completion and return its outputs as text.

    Args:
        argv: The command.
        cwd: The working folder.
        env: Variables to add to this process's environment.
        timeout: Seconds after which the process and its children are stopped.
        check: Whether an exit status other than 0 is an error.
        input: Text for stdin; None for an empty stdin.
        tied: Whether the kernel ends the process when this one dies.
        line: Called with each line of stdout as it arrives, in another thread.

    Raises:
        ToolMissing: There is no such program.
        ToolTimedOut: It took longer than `timeout`.
        ToolFailed: It cannot be started, or failed.
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
            start_new_session=True,  # a process group, which a timeout can stop as a whole
            preexec_fn=tie if tied else None,
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
    rows = _Rows(process, line) if line is not None else None
    try:
        stdout, stderr = process.communicate(input, timeout)
        if rows is not None:
            stdout = rows.text()
    except subprocess.TimeoutExpired as error:
        _stop(process)
        stdout, stderr = process.communicate()
        if rows is not None:
            stdout = rows.text()
        raise ToolTimedOut(
            _with_output(f"{shown}: no end after {timeout:g} s", stdout + stderr),
            argv=command,
            output=tail(stdout + stderr),
        ) from error
    except BaseException:  # such as Ctrl-C: leave no child running
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


class _Rows:
    """Reads a process's stdout in a thread and passes on its lines."""

    def __init__(self, process: subprocess.Popen[str], line: Callable[[str], None]) -> None:
        self._pipe, process.stdout = process.stdout, None  # keeps communicate() from reading it
        self._rows: list[str] = []
        self._line = line
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        assert self._pipe is not None
        for row in self._pipe:
            self._rows.append(row)
            self._line(row)

    def text(self) -> str:
        """Return the whole stdout after the process has ended."""
        self._thread.join()
        return "".join(self._rows)


def _stop(process: subprocess.Popen[str]) -> None:
    # SIGTERM first: ninja's compilers are in process groups of their own, which ninja ends.
    for sent in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, sent)
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)


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
