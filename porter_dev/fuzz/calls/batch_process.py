"""Run launches in processes that may crash.

On the host twin, each launch runs in a fork of a process that has loaded the build. A fork takes
milliseconds, so a reduction may kill hundreds. CUDA does not survive a fork: there, one process
runs all launches and is restarted after a crash.
"""

from __future__ import annotations

import ctypes
import faulthandler
import multiprocessing
import os
import pickle
import select
import signal
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import attrs
from attrs import define, field, frozen

from porter.base.process import begin_worker
from porter.base.process_bound import OfOneProcess
from porter.errors import FuzzFailed, LaunchFailed
from porter.run import Device, open_device
from porter_dev.fuzz.calls.fuzz_batch import Answer, BatchDied, BatchStuck, CallBatch, launch_batch
from porter_dev.fuzz.calls.inventory import Inventory, inventory

PATIENCE = 60.0  # seconds beyond a launch's own limits after which its process is killed
_WAITING = 2.0  # maximum seconds between a process's answer and its end
LONGEST = 20_000  # maximum characters of a report
_TGKILL = 234  # x86-64's number of the system call


class Launches(Protocol):
    """An interface for running batches; BatchProcess, or a fake in tests."""

    def run(self, batch: CallBatch) -> Answer:
        """Run one launch."""


@frozen
class Opening:
    """A picklable function that opens a build, in the process that uses it.

    Attributes:
        folder: Folder of the build.
        target: `host`, `host-asan` or `cuda`.
        sandbox: Whether programs run in a sandbox.
    """

    folder: Path
    target: str
    sandbox: bool = False

    def __call__(self) -> Device:
        """Open the device; a host twin gets one thread. Raises as open_device does."""
        options = {} if self.target == "cuda" else {"threads": 1}
        return open_device(self.folder, self.target, **options)


@define
class BatchProcess:
    """A child process that runs batches; it is restarted after it ends.

    All methods raise the errors of opening the device.
    """

    opening: Opening
    _process: multiprocessing.process.BaseProcess | None = field(default=None, init=False)
    _pipe: Connection | None = field(default=None, init=False)

    def run(self, batch: CallBatch) -> Answer:
        """Run one launch."""
        self.submit(batch)
        return self.answer(batch)

    def inventory(self) -> Inventory:
        """Introspect the build. Raises FuzzFailed."""
        self._send(None)
        assert self._pipe is not None
        try:
            found = self._pipe.recv()
        except (EOFError, OSError):
            raise FuzzFailed(f"introspection: {self._buried()}") from None
        if not isinstance(found, Inventory):
            raise found
        return found

    def submit(self, batch: CallBatch) -> None:
        """Begin a launch; `answer` must be called before the next one."""
        self._send(attrs.evolve(batch, sandbox=self.opening.sandbox))

    def _send(self, request: CallBatch | None) -> None:
        if self._pipe is None:
            context = multiprocessing.get_context("spawn")
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(
                target=_serve, args=(self.opening, theirs), daemon=False
            )
            self._process.start()
            theirs.close()
        self._pipe.send(request)

    def answer(self, batch: CallBatch) -> Answer:
        """Wait for the answer to the submitted batch."""
        assert self._pipe is not None
        try:
            if not self._pipe.poll(batch.limits.total + 3 * PATIENCE):
                self.close()
                return BatchStuck(tuple(range(len(batch.sources))))
            answer: Answer | Exception = self._pipe.recv()
        except (EOFError, OSError):
            return BatchDied(self._buried())
        if isinstance(answer, Exception):
            self.close()
            raise answer
        if self.opening.target == "cuda" and isinstance(answer, BatchStuck | BatchDied):
            self.close()
        return answer

    def close(self) -> None:
        """End the child process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None

    def _buried(self) -> str:
        process = self._process
        assert process is not None
        process.join(PATIENCE)
        code = process.exitcode or 0
        self.close()
        return _ending(-code << 8 if code >= 0 else -code)


def _serve(opening: Opening, pipe: Connection) -> None:
    """Answer batches until the other end closes the pipe."""
    begin_worker()
    try:
        device = opening()
    except Exception as error:
        pipe.recv()
        pipe.send(error)
        return
    answer: Answer | Inventory | Exception
    while True:
        try:
            batch = pipe.recv()
        except EOFError:
            return
        if opening.target != "cuda":
            pipe.send(_forked(device, batch))
            continue
        try:
            answer = inventory(device) if batch is None else launch_batch(device, batch)
        except LaunchFailed as error:
            answer = BatchDied(error.message)
        except Exception as error:  # not a program's fault: out of memory, no such build
            answer = error
        pipe.send(answer)


def _forked(device: Device, batch: CallBatch | None) -> Answer | Inventory | Exception:
    """Run `batch` on `device` in a fork of this process; None: introspect the build."""
    readable, writable = os.pipe()
    with tempfile.TemporaryFile() as said:
        child = os.fork()
        if child == 0:
            _in_fork(device, batch, writable, said)
        os.close(writable)
        data = _read(readable, PATIENCE + (batch.limits.total if batch else 0.0))
        os.close(readable)
        stuck = pickle.loads(data) if data else None
        status = _wait(child, 10.0 if isinstance(stuck, BatchStuck) else _WAITING)
        said.seek(0)
        report = said.read(200_000).decode("utf-8", "replace")[:LONGEST]
    if isinstance(stuck, BatchStuck):
        return BatchStuck(stuck.suspects, report)
    if stuck is None:
        return BatchDied(_ending(status), report)
    answer: Answer | Inventory | Exception = stuck
    return answer


def _in_fork(device: Device, batch: CallBatch | None, pipe: int, said: BinaryIO) -> None:
    """Run `batch`, write the answer to `pipe`, and exit."""
    try:
        faulthandler.disable()  # the sanitizer's report of a fault is better
        os.dup2(said.fileno(), 1)
        os.dup2(said.fileno(), 2)
        if isinstance(device, OfOneProcess):
            device.process = os.getpid()  # a host twin without launches, which a fork can use
        try:
            answer: Any = inventory(device) if batch is None else launch_batch(device, batch)
        except Exception as error:
            answer = BatchDied(error.message) if isinstance(error, LaunchFailed) else error
        with os.fdopen(pipe, "wb") as file:
            pickle.dump(answer, file)
        if isinstance(answer, BatchStuck):
            _show_stack()
    finally:
        os._exit(0)


def _show_stack() -> None:
    """Send SIGSEGV to the busiest thread, so that a sanitizer prints its stack and exits."""
    busiest, most = 0, -1
    for name in os.listdir("/proc/self/task"):
        words = Path(f"/proc/self/task/{name}/stat").read_text().rpartition(")")[2].split()
        if int(words[11]) > most:
            busiest, most = int(name), int(words[11])
    ctypes.CDLL(None).syscall(_TGKILL, os.getpid(), busiest, int(signal.SIGSEGV))
    time.sleep(5.0)


def _read(pipe: int, seconds: float) -> bytes:
    """Read `pipe` to its end; return nothing if that takes longer than `seconds`."""
    parts: list[bytes] = []
    end = time.monotonic() + seconds
    while select.select([pipe], [], [], max(0.0, end - time.monotonic()))[0]:
        part = os.read(pipe, 1 << 20)
        if not part:
            return b"".join(parts)
        parts.append(part)
    return b""


def _wait(child: int, seconds: float) -> int:
    """Return the wait status of `child`; kill it after `seconds`."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def _ending(status: int) -> str:
    """Describe a wait status."""
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return f"exit status {os.waitstatus_to_exitcode(status)}"
