"""Batch the requests of many threads: each waits for its own rows, and launches are shared.

A request is one program with its cases. Requests that arrive within a few milliseconds are judged
together. Several batches run at a time, so that a slow program delays its own batch only.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Any

from attrs import define, field, frozen

from porter.errors import QueueFull, UsageError
from porter.evaluation.cases import Cases
from porter.evaluation.execution import collected, judgements
from porter.evaluation.judgement import Judgement
from porter.evaluation.options import Judging
from porter.evaluation.results import Evaluation
from porter.evaluation.status import CaseStatus
from porter.evaluation.unsupported import Cause

WAIT = 0.004  # seconds that a request waits for others
MOST_ROWS = 1 << 15  # of a batch
BATCHES = 4  # that run at a time
ROOM = 100_000  # requests that wait
Judge = Callable[[Any, Iterable[Any], Cases | None, Judging], Iterable[Judgement]]


@frozen
class JudgedProgram:
    """The rows of one program.

    Attributes:
        statuses: The status of each case.
        steps: The steps of each case.
        outputs: The output of each case, if the options keep outputs.
        values: The returned value of each case, likewise.
        tracebacks: The traceback of each case, None without one, likewise.
        messages: By case, the type and message of its exception, if the options keep exceptions.
        reasons: By case, as in `Evaluation.reasons`.
        causes: By case that was UNSUPPORTED in its interpreter, what CPython has and the
            interpreter lacks.
        in_cpython: Whether the fallback judged each case.
        stderr: The bytes that each case wrote to stderr, if the options keep stderr.
        exit_codes: The code of SystemExit of each case, None without one, if the options keep them.
    """

    statuses: tuple[CaseStatus, ...]
    steps: tuple[int, ...]
    outputs: list[bytes] | None = None
    values: list[Any] | None = None
    tracebacks: list[str | None] | None = None
    messages: dict[int, str] = field(factory=dict)
    reasons: dict[int, str] = field(factory=dict)
    causes: dict[int, Cause] = field(factory=dict)
    in_cpython: tuple[bool, ...] = ()
    stderr: list[bytes] | None = None
    exit_codes: list[int | None] | None = None

    @property
    def passed(self) -> int:
        """The number of cases that passed."""
        return self.statuses.count(CaseStatus.PASSED)


@define(eq=False)
class _Request:
    source: bytes
    cases: Cases
    how: Judging
    future: Future[JudgedProgram]
    since: float

    def fits(self, other: _Request) -> bool:
        """Return whether both can be in one launch."""
        return self.how is other.how and (self.cases.texts is None) == (other.cases.texts is None)


class Batcher:
    """Judges programs of many threads on one device.

    Args:
        device: An open device, which the caller closes after the batcher.
        wait: Seconds that a request waits for others.
        busy_wait: Seconds that it waits while another batch runs; None: `wait`. A longer time makes
            fewer and larger batches.
        most_rows: Maximum calls of a batch.
        batches: Batches that run at a time.
        room: Maximum number of waiting requests.
        judge: Judges programs with their own cases on the device; None: `judgements`.
    """

    def __init__(
        self,
        device: Any,
        *,
        wait: float = WAIT,
        busy_wait: float | None = None,
        most_rows: int = MOST_ROWS,
        batches: int = BATCHES,
        room: int = ROOM,
        judge: Judge | None = None,
    ) -> None:
        self.device, self._judgements = device, judge
        self._wait, self._most_rows, self._room = wait, most_rows, room
        self._busy_wait = wait if busy_wait is None else busy_wait
        self._waiting: deque[_Request] = deque()
        self._changed = threading.Condition()
        self._gathering = threading.Lock()  # held by the thread that gathers the next batch
        self._closed = False
        self._running = 0  # requests in batches that run
        self._threads = [
            threading.Thread(target=self._work, name=f"batch {k}", daemon=True)
            for k in range(batches)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, source: str | bytes, cases: Any, how: Judging) -> Future[JudgedProgram]:
        """Judge a program on its cases.

        Requests with the same `how` object are judged together. Cancelling the future before its
        batch begins removes the request.

        Args:
            source: The program.
            cases: The cases, as `evaluate` takes them.
            how: The options; one object for all equal requests.

        Raises:
            UsageError, WrongType: A case is invalid, or the batcher is closed.
            QueueFull: Too many requests wait.
        """
        if isinstance(source, str):
            source = source.encode("utf-8", "surrogatepass")
        future: Future[JudgedProgram] = Future()
        request = _Request(source, Cases.of(cases), how, future, time.monotonic())
        with self._changed:
            if self._closed:
                raise UsageError("this batcher is closed")
            if len(self._waiting) >= self._room:
                raise QueueFull(f"{self._room} programs wait to be judged")
            self._waiting.append(request)
            self._changed.notify_all()
        return future

    @property
    def depth(self) -> int:
        """The number of requests that wait."""
        return len(self._waiting)

    @property
    def running(self) -> int:
        """The number of requests that are being judged."""
        return self._running

    def close(self, *, drain: bool = True) -> None:
        """Accept no more requests, and wait for the batches that run.

        Args:
            drain: Judge the waiting requests first; else cancel them.
        """
        with self._changed:
            self._closed = True
            if not drain:
                while self._waiting:
                    self._waiting.popleft().future.cancel()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while batch := self._gather():
            try:
                self._judge(batch)
            finally:
                with self._changed:
                    self._running -= len(batch)
                    self._changed.notify_all()

    def _gather(self) -> list[_Request]:
        """Wait for a batch; return an empty one when the batcher is closed."""
        with self._gathering, self._changed:
            while not self._waiting:
                if self._closed:
                    return []
                self._changed.wait()
            while not self._closed and self._waiting and (left := self._left()) > 0:
                if sum(len(one.cases) for one in self._waiting) >= self._most_rows:
                    break
                self._changed.wait(left)
            batch = self._take()
            self._running += len(batch)
        return batch or self._gather()  # all waiting requests were removed meanwhile

    def _left(self) -> float:
        """Return the seconds until the next batch begins."""
        wait = self._busy_wait if self._running else self._wait
        return self._waiting[0].since + wait - time.monotonic()

    def _take(self) -> list[_Request]:
        """Remove a batch from the waiting requests: all that fit the first one, up to the limit."""
        batch: list[_Request] = []
        rows = 0
        kept: deque[_Request] = deque()
        while self._waiting:
            request = self._waiting.popleft()
            if batch and (not request.fits(batch[0]) or rows >= self._most_rows):
                kept.append(request)
                continue
            batch.append(request)
            rows += len(request.cases)
        self._waiting = kept
        return batch

    def _judge(self, batch: list[_Request]) -> None:
        running = [one for one in batch if one.future.set_running_or_notify_cancel()]
        if not running:
            return
        try:
            pairs = [(one.source, one.cases) for one in running]
            judge = self._judgements or judgements
            parts = judge(self.device, pairs, None, running[0].how)
            found = Evaluation.of(collected(parts))
            answers = [_program(found, k, len(one.cases)) for k, one in enumerate(running)]
        except BaseException as error:
            for one in running:
                one.future.set_exception(error)
            return
        for one, answer in zip(running, answers, strict=True):
            one.future.set_result(answer)


def _program(found: Evaluation, program: int, count: int) -> JudgedProgram:
    """Return the rows of one program of an evaluation."""
    raised = found.exceptions[program] if found.exceptions is not None else []
    return JudgedProgram(
        tuple(map(CaseStatus, found.status[program, :count].tolist())),
        tuple(found.steps[program, :count].tolist()),
        None if found.outputs is None else found.outputs[program],
        None if found.values is None else found.values[program],
        None if found.tracebacks is None else found.tracebacks[program],
        {k: f"{one.type}: {one.message}" for k, one in enumerate(raised) if one is not None},
        {c: found.reasons[program, c] for c in range(count) if (program, c) in found.reasons},
        {c: found.causes[program, c] for c in range(count) if (program, c) in found.causes},
        tuple(found.in_cpython[program, :count].tolist()),
        None if found.stderr is None else found.stderr[program],
        None if found.exit_codes is None else found.exit_codes[program],
    )
