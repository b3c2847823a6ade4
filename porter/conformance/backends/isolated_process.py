"""Run launches in a process of their own: a launch that crashes ends only that process."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any, Generic, TypeVar

import attrs

from porter.conformance.records import Script, ScriptOutcome, ScriptStatus
from porter.errors import LaunchFailed

Item = TypeVar("Item")
Answer = TypeVar("Answer")
RunScripts = Callable[[Sequence[Script]], list[ScriptOutcome]]


@attrs.frozen
class Died:
    """The reason why a launch ended without an answer."""

    status: ScriptStatus
    note: str


def _crashed(died: Died) -> ScriptOutcome:
    return ScriptOutcome(b"", died.status, note=died.note)


@attrs.define
class Isolated(Generic[Item, Answer]):
    """Launches in a child process, which is restarted after it died.

    Attributes:
        opener: Opens a build in the child process and returns the function that runs a launch. It
            is pickled.
        deadline: Seconds per launch, after which the child is killed. A launch should stop its own
            hanging programs well before.
        lost: Makes the answer for the one item that kills its launch.
    """

    opener: Callable[[], Callable[[Sequence[Item]], list[Answer]]]
    deadline: float
    lost: Callable[[Died], Any] = _crashed
    _child: multiprocessing.process.BaseProcess | None = None
    _pipe: Connection | None = None

    def run(self, programs: Sequence[Item]) -> list[Answer]:
        """Run one launch; if the child dies, bisect the programs to find the one at fault."""
        answer = self._ask(programs)
        if not isinstance(answer, Died):
            return answer
        if len(programs) == 1:
            return [self.lost(answer)]
        middle = len(programs) // 2
        return self.run(programs[:middle]) + self.run(programs[middle:])

    def close(self) -> None:
        """End the child process."""
        if self._pipe is not None:
            self._pipe.close()  # an idle child exits then
        self._kill(patience=5.0)

    def _ask(self, programs: Sequence[Item]) -> list[Answer] | Died:
        pipe = self._start()
        try:
            pipe.send(list(programs))
            if not pipe.poll(self.deadline):
                self._kill()
                return Died(ScriptStatus.TIMEOUT, f"no answer after {self.deadline:g} s")
            answer: list[Answer] | Exception = pipe.recv()
        except (EOFError, OSError):
            return self._bury()
        if isinstance(answer, LaunchFailed):  # the process cannot use a GPU after a fault
            self._kill()
            return Died(ScriptStatus.CRASH, answer.message)
        if isinstance(answer, Exception):
            raise answer  # not a program's fault: no such build, no GPU, out of memory
        return answer

    def _kill(self, patience: float = 0.0) -> None:
        if self._child is not None:
            self._child.join(patience)
            self._child.kill()
            self._child.join()
        self._child = self._pipe = None

    def _start(self) -> Connection:
        if self._pipe is None:
            context = multiprocessing.get_context("spawn")  # CUDA does not survive a fork
            self._pipe, theirs = context.Pipe()
            self._child = context.Process(target=_serve, args=(self.opener, theirs), daemon=True)
            self._child.start()
            theirs.close()
        return self._pipe

    def _bury(self) -> Died:
        assert self._child is not None
        self._child.join()
        code = self._child.exitcode or 0
        self._child = self._pipe = None
        try:
            return Died(ScriptStatus.CRASH, signal.Signals(-code).name)
        except ValueError:
            return Died(ScriptStatus.CRASH, f"exit status {code}")


def _serve(opener: Callable[[], Callable[[Any], Any]], pipe: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    launch: Callable[[Any], Any] | None = None
    while True:
        try:
            programs = pipe.recv()
        except EOFError:
            return
        try:
            launch = launch or opener()
            pipe.send(launch(programs))
        except Exception as error:
            pipe.send(error)
