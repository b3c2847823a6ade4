"""Processes that share the cores of the host twin.

Python prepares each launch and reads its results, on one core at a time in a process. With many
cores and many programs that takes longer than the interpreters do. So an evaluation that lasts
starts processes, each with a host twin on some of the cores. `process_main` is the other end.

If an interpreter crashes its process, `distribution` gives the portions of that process to other
devices.
"""

from __future__ import annotations

import pickle
import socket
import subprocess
import sys
import threading
import weakref
from collections import OrderedDict
from itertools import count
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from typing import Any

from attrs import define, evolve, field

from porter.errors import LaunchFailed
from porter.evaluation.background import Background
from porter.evaluation.judgement import Judgement
from porter.evaluation.options import Judging
from porter.evaluation.portion import Portion
from porter.run import Cancel
from porter.run.built import Built
from porter.run.device.host import HostTwin

CORES_EACH = 4  # cores of a process: one Python thread prepares launches for them
LEAST_CORES = 32  # with 16, one process is as fast
# Programs of an evaluation that uses processes. With fewer, one process is faster on 32 cores too.
MANY_PROGRAMS = 50_000
KINDS = ("cases", "options")  # objects that portions share, which a process keeps
MOST_KEPT = 4  # of each kind
LOOK = 0.05  # seconds between looks at `cancel`
STARTING = 60.0  # seconds after which a process that does not answer has failed
_MAIN = """
import sys
sys.path[:] = {path!r}
from porter.evaluation.process_main import main
main({fd}, {cores}, {nice})
"""


@define(eq=False)
class CoreProcess(Background):
    """A process with a host twin on some cores.

    Attributes:
        label: Its name for messages.
        cores: Number of its threads that run interpreters.
        nice: Added to its niceness.
    """

    label: str
    cores: int
    nice: int
    _built: Built
    optional: bool = field(default=True, init=False)
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    _connection: Connection | None = field(default=None, init=False)
    _sending: threading.Lock = field(factory=threading.Lock, init=False)
    _numbers: count[int] = field(factory=count, init=False)
    _answers: dict[int, SimpleQueue[Any]] = field(factory=dict, init=False)
    # The objects of each kind that the process has, by number, oldest first. The process drops the
    # same ones.
    _kept: dict[str, OrderedDict[int, object]] = field(
        factory=lambda: {kind: OrderedDict() for kind in KINDS}, init=False
    )

    def start(self) -> None:
        """Start the process and wait until its host twin is open. Raises LaunchFailed."""
        mine, other = socket.socketpair()
        with other:
            code = _MAIN.format(path=sys.path, fd=other.fileno(), cores=self.cores, nice=self.nice)
            try:
                self._process = subprocess.Popen(
                    [sys.executable, "-c", code],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    pass_fds=[other.fileno()],
                )
            except (OSError, TypeError) as error:
                mine.close()
                raise LaunchFailed(f"{self.label} does not start: {error}") from error
        connection = Connection(mine.detach())
        try:
            connection.send(self._built)
            answer = connection.recv() if connection.poll(STARTING) else None
        except (OSError, EOFError) as error:
            raise LaunchFailed(f"{self.label} does not start: {error}") from error
        if answer is not True:
            raise LaunchFailed(f"{self.label} does not start: {answer or 'it does not answer'}")
        self._connection = connection
        self._kept = {kind: OrderedDict() for kind in KINDS}
        threading.Thread(target=_read, args=(connection, self._answers), daemon=True).start()

    def judge(self, portion: Portion, how: Judging, cancel: Cancel) -> Judgement:
        """Judge a portion there; `cancel` ends it early. Raises as `judgement.judge`."""
        number = next(self._numbers)
        answers: SimpleQueue[Any] = SimpleQueue()
        self._answers[number] = answers
        try:
            with self._sending:
                keys = self._key("cases", portion.cases), self._key("options", how)
                self._send(("judge", number, keys, _without_cases(portion)))
            asked = 0
            while True:
                try:
                    found = answers.get(timeout=LOOK)
                    break
                except Empty:
                    if self._process is not None and self._process.poll() is not None:
                        raise self._gone() from None
                    if cancel.requests > asked:
                        asked = cancel.requests
                        with self._sending:
                            self._send(("cancel", number, asked))
        finally:
            del self._answers[number]
        if found is None:
            raise self._gone()
        if isinstance(found, BaseException):
            raise found
        answer: Judgement = found
        return answer

    def _key(self, kind: str, value: object) -> int:
        """Return the number of an object that the process has; send it if needed."""
        key, kept = id(value), self._kept[kind]
        if key not in kept:
            sent = evolve(value, cancel=None) if isinstance(value, Judging) else value
            self._send(("keep", kind, key, sent))
            kept[key] = value  # keeps its id from being used again
            while len(kept) > MOST_KEPT:
                kept.popitem(last=False)
        return key

    def _send(self, message: Any) -> None:
        assert self._connection is not None
        try:
            self._connection.send(message)
        except (OSError, EOFError) as error:
            raise self._gone() from error

    def _gone(self) -> LaunchFailed:
        """Return the error of a process that has ended. The next evaluation starts a new one."""
        self._end()
        self.reset()
        code = None if self._process is None else self._process.returncode
        return LaunchFailed(f"{self.label} has ended with exit code {code}")

    def _end(self) -> None:
        if self._connection is not None:
            self._connection.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def close(self) -> None:
        """End the process."""
        self.join()
        self._end()
        self.reset()


def _without_cases(portion: Portion) -> Portion:
    nothing: Any = None
    return evolve(portion, cases=nothing)


def _read(connection: Connection, answers: dict[int, SimpleQueue[Any]]) -> None:
    """Pass the answers of a process to the threads that wait for them; None at its end."""
    while True:
        try:
            number, found = connection.recv()
        except (OSError, EOFError, TypeError):  # TypeError: closed by another thread
            break
        except (pickle.UnpicklingError, AttributeError, ImportError):
            break
        if number in answers:
            answers[number].put(found)
    for waiting in list(answers.values()):
        waiting.put(None)


_processes: weakref.WeakKeyDictionary[HostTwin, list[CoreProcess]] = weakref.WeakKeyDictionary()


def processes_of(host: HostTwin, nice: int = 0) -> list[CoreProcess]:
    """Return the processes that share the cores of a host twin; [] if it has few.

    They end with the host twin.

    Args:
        host: The host twin.
        nice: Added to the niceness of processes, so that they do not delay what prepares launches
            for a GPU.
    """
    if type(host) is not HostTwin or host.variant != "host" or host.cores < LEAST_CORES:
        return []
    if host not in _processes:
        number = host.cores // CORES_EACH
        made = [
            CoreProcess(f"process {k} of {number}", host.cores // number, nice, host.built)
            for k in range(number)
        ]
        _processes[host] = made
        weakref.finalize(host, _close, made)
        host.on_close(lambda: _close(made))
    return _processes[host]


def _close(processes: list[CoreProcess]) -> None:
    for process in processes:
        process.close()
