"""Submit programs to a device, which is opened again after a failure.

Problem: a device can fail while accepted programs wait or run, and each of them needs one answer.

Mechanism: `JudgeService` holds a device with its `Batcher`, called a *session*. Each accepted
program has a future of its own. The batcher's future belongs to one attempt; its callback sets the
program's future or makes the next attempt.

States of the service: STARTING, READY, REOPENING, FAILED, CLOSED. Programs are accepted while it
is READY or REOPENING, and in FAILED to make it open the device again.

Invariants:

* S1: `_pending` counts the accepted programs without an answer, at most `room`.
* S2: a program's future is set by `_finish` only, which removes the program from `_pending`.
* S3: an attempt ends in one callback, so a program is in at most one batch at a time.
* S4: no method of a batcher is called with `_lock` held, because a batcher runs callbacks, which
  take `_lock`, with its own lock held.

With a fallback, a program that interpreters do not support is attempted once more, with it, by the
session's second batcher. Each of its batches is one program, so that a program which runs long in
CPython delays only programs that also need CPython.

A program of a batch that failed is a *suspect*. Suspects are attempted again one after the other,
each in a batch of its own, so that a program that breaks devices fails alone. Batches of other
programs run beside a suspect. If a suspect breaks the device under them, their programs become
suspects.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from enum import Enum
from typing import Protocol

from attrs import define, evolve, field, frozen

from porter.errors import (
    FallbackUnavailable,
    LaunchFailed,
    NoCluster,
    PorterError,
    QueueFull,
    UsageError,
)
from porter.evaluation.batching import BATCHES, Batcher, JudgedProgram
from porter.evaluation.execution import judgements
from porter.evaluation.judgement import Judgement
from porter.evaluation.options import Judging
from porter.evaluation.status import CaseStatus
from porter.fallback import Fallback
from porter.run import Cancel
from porter.serve.logs import event
from porter.serve.requests import ProgramWork

# Of a program whose batches fail. The second failure may be the fault of a batch beside it.
ATTEMPTS = 3
PAUSE = 5.0  # seconds between attempts to open a device
# Seconds that a program waits for others while a batch runs: a few large batches leave more of
# Python's time for connections than many small ones.
BUSY_WAIT = 0.03
ENDLESS = 1 << 40  # of the batcher's own limit; S1 bounds its queue


class ServiceState(Enum):
    """The states of a service."""

    STARTING = "starting"
    READY = "ready"
    REOPENING = "reopening"
    FAILED = "failed"
    CLOSED = "closed"


class NotReady(PorterError):
    """The service has no device now."""


class ServiceCancelled(PorterError):
    """The service was stopped before the program was judged."""


class OpenedDevice(Protocol):
    """A device as the service needs it."""

    def close(self) -> None:
        """Free its resources."""


@frozen
class DeviceSource:
    """A way to open a device.

    Attributes:
        open: Opens it. Raises PorterError.
        judge: Judges programs on it, as `porter.evaluation.execution.judgements`.
        interruptible: Whether `Judging.cancel` ends its launches.
        batches: Batches at a time.
    """

    open: Callable[[], OpenedDevice]
    judge: Callable[..., Iterable[Judgement]] = judgements
    interruptible: bool = True
    batches: int = BATCHES


@define(eq=False)
class _Session:
    device: OpenedDevice
    batcher: Batcher
    in_cpython: Batcher | None

    @property
    def batchers(self) -> tuple[Batcher, ...]:
        """All batchers of the session."""
        return (self.batcher,) if self.in_cpython is None else (self.batcher, self.in_cpython)

    def close(self, *, drain: bool = True) -> None:
        """Close the batchers."""
        for one in self.batchers:
            one.close(drain=drain)


@define(eq=False)
class AcceptedProgram:
    """An accepted program.

    Attributes:
        work: The request.
        answer: The future that the caller has.
        attempt: The number of the attempt, from 1.
        inner: The batcher's future of the attempt.
        lacking: The result of interpreters for a program that they do not support, if the attempt
            uses the fallback.
        cancel: Ends the attempt that uses the fallback.
    """

    work: ProgramWork
    answer: Future[JudgedProgram]
    attempt: int = 1
    inner: Future[JudgedProgram] | None = None
    lacking: JudgedProgram | None = None
    cancel: Cancel | None = None

    def how(self, fallback: Fallback | None) -> Judging:
        """Return the options; an own object, hence an own batch, for a repeated attempt.

        Args:
            fallback: The service's fallback.
        """
        if self.lacking is not None:
            return evolve(self.work.how, fallback=fallback, cancel=self.cancel)
        return self.work.how if self.attempt == 1 else evolve(self.work.how)


@define(eq=False)
class JudgeService:
    """Judges accepted programs; each future gets one result or one exception.

    Attributes:
        source: Opens the device.
        room: Maximum number of accepted programs without an answer.
        fallback: How CPython runs programs that are UNSUPPORTED; None: it does not.
        cancel: Ends all launches; None if the device cannot be interrupted.
        on_failure: Called with the error of each failed device.
    """

    source: DeviceSource
    room: int
    fallback: Fallback | None = None
    on_failure: Callable[[BaseException], object] = field(default=lambda error: None)
    cancel: Cancel | None = field(init=False)
    state: ServiceState = field(default=ServiceState.STARTING, init=False)
    error: BaseException | None = field(default=None, init=False)
    _lock: threading.Lock = field(factory=threading.Lock, init=False)
    _session: _Session | None = field(default=None, init=False)
    _pending: dict[int, AcceptedProgram] = field(factory=dict, init=False)
    _parked: list[AcceptedProgram] = field(factory=list, init=False)  # wait for a session
    _suspects: deque[AcceptedProgram] = field(factory=deque, init=False)
    _tried: AcceptedProgram | None = field(default=None, init=False)  # the suspect that runs
    _opened: threading.Event = field(factory=threading.Event, init=False)
    _retry_at: float = field(default=0.0, init=False)
    _stopped: bool = field(default=False, init=False)

    def __attrs_post_init__(self) -> None:
        """Make the request that ends all launches."""
        self.cancel = Cancel() if self.source.interruptible else None

    def start(self) -> None:
        """Open the device in a thread."""
        threading.Thread(target=self._open, name="open device", daemon=True).start()

    def is_opened(self, seconds: float) -> bool:
        """Wait at most `seconds`; return whether the first attempt to open the device has ended."""
        return self._opened.wait(seconds)

    def check_opened(self) -> None:
        """Raise the error of opening the device, if it could not be opened."""
        if self.state == ServiceState.FAILED and self.error is not None:
            raise self.error

    @property
    def pending(self) -> int:
        """The number of accepted programs without an answer."""
        return len(self._pending)

    @property
    def waiting(self) -> int:
        """The number of accepted programs that are in no batch yet."""
        session = self._session
        batchers = () if session is None else session.batchers
        return len(self._parked) + sum(one.depth for one in batchers)

    @property
    def running(self) -> int:
        """The number of programs in batches that run."""
        session = self._session
        return 0 if session is None else sum(one.running for one in session.batchers)

    def submit(self, work: ProgramWork) -> Future[JudgedProgram]:
        """Accept a program. Cancelling the future removes the program if no batch has it yet.

        Raises:
            QueueFull: `room` programs have no answer yet.
            NotReady: There is no device, or the service was closed.
        """
        program = AcceptedProgram(work, Future())
        with self._lock:
            if self.state == ServiceState.FAILED and time.monotonic() >= self._retry_at:
                self._reopen(None)
            if self._stopped or self.state not in (ServiceState.READY, ServiceState.REOPENING):
                raise self._not_ready()
            if len(self._pending) >= self.room:
                raise QueueFull(f"{self.room} programs wait to be judged")
            self._pending[id(program)] = program
        program.answer.add_done_callback(lambda done: self._cancelled(program, done))
        self._attempt(program)
        return program.answer

    def _not_ready(self) -> NotReady:
        if self._stopped:
            return NotReady("the service was stopped")
        if self.state == ServiceState.FAILED:
            return NotReady(f"the device cannot be opened: {self.error}")
        return NotReady(f"the service is {self.state.value}")

    def _attempt(self, program: AcceptedProgram) -> None:
        """Give a program to the batcher, or park it until there is one."""
        with self._lock:
            session = None if self._stopped else self._session
            if session is None:
                if not self._stopped and self.state == ServiceState.REOPENING:
                    self._parked.append(program)
                    return
                error = self._not_ready()
        if session is None:
            self._finish(program, error=error)
            return
        batcher = session.batcher if program.lacking is None else session.in_cpython
        assert batcher is not None
        try:
            how = program.how(self.fallback)
            inner = batcher.submit(program.work.source, program.work.cases, how)
        except UsageError:  # the batcher was closed meanwhile: the device failed
            with self._lock:
                lost = self._session is session
            if lost:
                self._finish(program, error=NotReady("the service is closed"))
            else:
                self._attempt(program)
            return
        program.inner = inner
        if program.answer.cancelled():
            self._drop(program, inner)
        inner.add_done_callback(lambda done: self._ended(program, session, done))

    def _ended(
        self, program: AcceptedProgram, session: _Session, done: Future[JudgedProgram]
    ) -> None:
        """Handle the end of an attempt (S3)."""
        if done.cancelled():
            if program.answer.cancelled():
                self._finish(program)
            elif self._stopped:
                self._finish(program, error=ServiceCancelled("the service was stopped"))
            else:
                self._attempt(program)  # the device failed before the program's batch began
            return
        if self._stopped:  # the result may be that of an interrupted program
            self._finish(program, error=ServiceCancelled("the service was stopped"))
            return
        error = done.exception()
        if error is None:
            result = done.result()
            if self._begin_fallback(program, result):
                self._attempt(program)
            else:
                self._finish(program, result=result)
            return
        if program.lacking is not None and isinstance(error, FallbackUnavailable):
            event("fallback_failed", level=logging.ERROR, error=error)
            self._finish(program, result=program.lacking)
            return
        if isinstance(error, LaunchFailed | NoCluster):
            self._lose(session, error)
        if program.attempt < ATTEMPTS and not program.answer.cancelled():
            program.attempt += 1
            with self._lock:
                self._suspects.append(program)
                if self._tried is program:
                    self._tried = None
            self._try_suspect()
        else:
            self._finish(program, error=error)

    def _begin_fallback(self, program: AcceptedProgram, result: JudgedProgram) -> bool:
        """Let the next attempt of a program that interpreters do not support use the fallback.

        Args:
            program: The program.
            result: The result of interpreters.

        Returns:
            Whether the program needs that attempt.
        """
        if self.fallback is None or program.lacking is not None or program.answer.cancelled():
            return False
        if CaseStatus.UNSUPPORTED not in result.statuses:
            return False
        with self._lock:
            if self._tried is program:
                self._tried = None
            program.lacking = result
            program.cancel = Cancel() if self.source.interruptible else None
        self._try_suspect()
        return True

    @staticmethod
    def _drop(program: AcceptedProgram, inner: Future[JudgedProgram]) -> None:
        """End an attempt whose answer is not needed."""
        inner.cancel()
        if program.cancel is not None:
            program.cancel()

    def _try_suspect(self) -> None:
        """Attempt the next suspect, if none runs."""
        while True:
            with self._lock:
                if self._tried is not None or not self._suspects:
                    return
                program = self._tried = self._suspects.popleft()
            if not program.answer.cancelled():
                self._attempt(program)
                return
            self._finish(program)

    def _finish(
        self,
        program: AcceptedProgram,
        *,
        result: JudgedProgram | None = None,
        error: BaseException | None = None,
    ) -> None:
        """Answer a program (S2)."""
        with self._lock:
            self._pending.pop(id(program), None)
            was_suspect = self._tried is program
            if was_suspect:
                self._tried = None
        with suppress(InvalidStateError):  # the caller has cancelled it
            if error is not None:
                program.answer.set_exception(error)
            elif result is not None:
                program.answer.set_result(result)
        if was_suspect:
            self._try_suspect()

    def _cancelled(self, program: AcceptedProgram, done: Future[JudgedProgram]) -> None:
        """Remove a program whose caller has cancelled it."""
        if not done.cancelled():
            return
        if program.inner is not None:
            self._drop(program, program.inner)
            return
        with self._lock:
            parked = program in self._parked
            if parked:
                self._parked.remove(program)
                self._pending.pop(id(program), None)

    def _lose(self, session: _Session, error: BaseException) -> None:
        """Replace a session whose device failed; later failures of the session are known."""
        with self._lock:
            if self._session is not session or self.state == ServiceState.CLOSED:
                return
            self._reopen(session)
        self.on_failure(error)

    def _reopen(self, session: _Session | None) -> None:
        """Open the device again in a thread; `_lock` is held."""
        self.state, self._session = ServiceState.REOPENING, None

        def work() -> None:
            if session is not None:
                session.close(drain=False)
                with suppress(Exception):  # the device is lost
                    session.device.close()
            self._open()

        threading.Thread(target=work, name="reopen device", daemon=True).start()

    def _open(self) -> None:
        try:
            device = self.source.open()
            session = _Session(
                device,
                Batcher(
                    device,
                    room=ENDLESS,
                    judge=self.source.judge,
                    batches=self.source.batches,
                    busy_wait=BUSY_WAIT,
                ),
                self._cpython_batcher(device),
            )
        except BaseException as error:
            with self._lock:
                self.error = error
                parked, self._parked = self._parked, []
                if self.state != ServiceState.CLOSED:
                    self.state = ServiceState.FAILED
                self._retry_at = time.monotonic() + PAUSE
            self._opened.set()
            for one in parked:
                self._finish(one, error=NotReady(f"the device cannot be opened: {error}"))
            return
        with self._lock:
            closed = self.state == ServiceState.CLOSED
            if not closed:
                self._session, self.state, self.error = session, ServiceState.READY, None
            parked, self._parked = self._parked, []
        self._opened.set()
        if closed:
            session.close()
            device.close()
        for one in parked:
            self._attempt(one)

    def _cpython_batcher(self, device: OpenedDevice) -> Batcher | None:
        if self.fallback is None:
            return None
        batches = self.fallback.processes or len(os.sched_getaffinity(0))
        return Batcher(
            device,
            wait=0.0,
            most_rows=1,
            room=ENDLESS,
            judge=self.source.judge,
            batches=max(batches, self.source.batches),
        )

    def stop(self) -> None:
        """End all programs now: drop waiting programs, and interrupt launches."""
        with self._lock:
            self._stopped = True
            session, unstarted = self._session, [*self._parked, *self._suspects]
            self._parked.clear()
            self._suspects.clear()
        for one in unstarted:
            self._finish(one, error=ServiceCancelled("the service was stopped"))
        with self._lock:
            cancels = [self.cancel, *(one.cancel for one in self._pending.values())]
        for cancel in cancels:
            if cancel is not None:
                cancel()
                cancel()
        if session is not None:
            session.close(drain=False)

    def close(self) -> None:
        """Judge what waits, and close the device."""
        with self._lock:
            self.state, session, self._session = ServiceState.CLOSED, self._session, None
            unstarted = [*self._parked, *self._suspects]
            self._parked.clear()
            self._suspects.clear()
        for one in unstarted:
            self._finish(one, error=self._not_ready())
        if session is not None:
            session.close()
            session.device.close()
