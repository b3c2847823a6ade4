"""Interpreters that keep their state from input to input, and the answer to one input."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import attrs
import numpy as np
from attrs import define, frozen

from porter.base.arguments import utf8
from porter.base.sizes import format_size
from porter.errors import NotEnoughMemory, UsageError
from porter.fs import Image
from porter.run import Cancel, Device, Launch, Program, Result, Stream, run
from porter.run.advice import Limited
from porter.run.device.base import Arenas, Array
from porter.run.filesystem import mounted
from porter.run.launch.limits import END_SECONDS
from porter.run.launch.options import Phase
from porter.run.launch.plan import footprint, free
from porter.run.result import broken_by_name, exit_status


@frozen
class Times:
    """The times of an input in seconds: the launch, and the merge of its outputs."""

    device: float = 0.0
    merge: float = 0.0


@frozen(eq=False, slots=False)
class Answer:
    """The outputs and statuses of the interpreters that ran an input.

    Attributes:
        outputs: stdout and tracebacks in order. A second stream holds the output of interpreters
            that ended, written by their exit functions and finalisers.
        which: The indices of the interpreters that ran.
        result: The result of the whole launch.
    """

    outputs: tuple[Stream, ...]
    which: np.ndarray[Any, Any]
    result: Result

    @cached_property
    def _status(self) -> np.ndarray[Any, Any]:
        status: np.ndarray[Any, Any] = self.result.status[self.which]
        return status

    def _count(self, status: str) -> int:
        return self.result.statuses.count(self._status, status)

    @cached_property
    def stopped(self) -> int:
        """The number of interpreters that ignored the interrupt and were stopped."""
        return self._count("STOPPED")

    @property
    def limited(self) -> tuple[Limited, ...]:
        """The limits that ended programs."""
        return self.result.limited

    @cached_property
    def exited(self) -> int:
        """The number of interpreters that raised SystemExit."""
        return self._count("EXIT")

    @cached_property
    def exit_code(self) -> int:
        """The exit code for a process, combined from all SystemExits; 0 without any."""
        exited = self.result.statuses.among(self._status, "EXIT")
        return exit_status(self.result.exit_code[self.which][exited])

    @cached_property
    def failed(self) -> int:
        """The number of interpreters that failed, SystemExit aside."""
        return int(self.result.statuses.where_failed(self._status).sum())

    @cached_property
    def broken(self) -> dict[str, int]:
        """The number of broken interpreters by the status's name."""
        return broken_by_name(self.result.statuses, self._status)


NAME = "<stdin>"  # the file name of the user's input in tracebacks
PIXEL = 3  # bytes of outbuf per interpreter unless a size is given: one pixel
QUESTION_TIME = 1.0  # seconds; completing a name may run the user's __getattr__


@define
class Session:
    """`n` interpreters on `device` that share a file system and `outbuf`.

    Attributes:
        device: The device.
        n: The number of interpreters.
        arenas: Their memory.
        outbuf: The shared buffer, on the device.
        launch: The options of each launch, with its timeout in seconds.
        live: Which interpreters have not ended (bool[n]).
        cancel: Interrupts the running input, see `Cancel`.
    """

    device: Device
    n: int
    arenas: Arenas
    outbuf: Array
    launch: Launch
    live: np.ndarray[Any, Any]
    cancel: Cancel = attrs.field(factory=Cancel)

    @classmethod
    def open(
        cls,
        device: Device,
        n: int,
        *,
        files: Image | None = None,
        outbuf_size: int | None = None,
        timeout: float | None = None,
        sizes: Launch | None = None,
    ) -> Session:
        """Start `n` interpreters.

        Args:
            device: The device.
            n: The number of interpreters.
            files: The content of "/", which all interpreters share and may write.
            outbuf_size: The size of `outbuf` in bytes; None for 3 bytes per interpreter.
            timeout: Seconds until an input is interrupted.
            sizes: Limits, and sizes of heap, pystack, stack and stdout; None for the build's.

        Raises:
            NotEnoughMemory: The interpreters do not fit.
            FileProblem: `files` cannot be mounted.
            UsageError: `n` is not positive.
        """
        if n < 1:
            raise UsageError(f"{n} interpreters: at least one is needed")
        sizes = _merged(sizes or Launch())
        if outbuf_size is None:
            outbuf_size = n * PIXEL
        _check_memory(device, n, sizes, outbuf_size)
        need = footprint(device, sizes)
        arenas = device.arenas(n, need.pystack, need.heap)
        outbuf = device.zeros(outbuf_size, np.uint8)
        launch = attrs.evolve(sizes, kind="single", outbuf=outbuf, timeout=timeout)
        if files is not None:
            launch = mounted(launch, device, files, n, shared=True)
        session = cls(device, n, arenas, outbuf, launch, np.ones(n, np.bool_))
        session.reset()
        return session

    @property
    def bytes_each(self) -> int:
        """The memory of one interpreter in bytes, with its output buffer."""
        need = footprint(self.device, self.launch)
        return need.resting + need.streams

    def reset(self) -> None:
        """Restart all interpreters. outbuf and the file system keep their content."""
        self.live[:] = True
        self.arenas.started = False
        answer = self.execute("pass\n")
        answer.result.raise_unless_started()

    def execute(self, source: str, *, kind: str = "single", name: str = NAME) -> Answer:
        """Run `source` in all live interpreters.

        Args:
            source: Python source.
            kind: `single` for one interactive statement, or `file`.
            name: The file name in tracebacks.
        """
        self.cancel.asked = 0
        launch = attrs.evolve(self.launch, kind=kind, cancel=self.cancel)
        which = np.flatnonzero(self.live)
        result = self._run(Program(utf8(source), name), launch, which)
        return self._conclude(result, which)

    def rest(self) -> None:
        """Release device memory that idle interpreters do not need; call while nothing runs."""
        self.device.trim(self.arenas)

    def close(self) -> Answer:
        """End all live interpreters after running their exit functions and finalisers.

        Interpreters still running after END_SECONDS (porter/run/launch/limits.py) get a
        KeyboardInterrupt, and are stopped if they catch it.
        """
        self.cancel.asked = 0
        which = np.flatnonzero(self.live)
        result = self._end(which)
        return Answer((result.stdout.of(which),), which, result)

    def ask(self, question: str, text: str) -> Result | None:
        """Ask the first live interpreter a question of the REPL about `text`.

        Args:
            question: The kind of the launch (`Launch.kind`).
            text: The input.

        Returns:
            The result, or None if no interpreter is live or the answer took too long.
        """
        which = np.flatnonzero(self.live)[:1]
        if not len(which):
            return None
        launch = attrs.evolve(self.launch, kind=question, timeout=QUESTION_TIME)
        result = self._run(Program(utf8(text), NAME), launch, which)
        if result.interrupted:
            return None
        return attrs.evolve(result, stdout=result.stdout.of(which), status=result.status[which])

    def _run(
        self,
        program: Program,
        launch: Launch,
        which: np.ndarray[Any, Any],
        *,
        stop: bool = False,
    ) -> Result:
        program_of = None
        if len(which) < self.n:
            rests = self.device.built.constants["GPUSNEK_NO_PROGRAM"]
            program_of = np.full(self.n, rests, np.uint32)
            program_of[which] = 0
        phase = Phase(arenas=self.arenas, stop=stop)
        return run(self.device, [program], self.n, launch, phase, program_of=program_of)

    def _end(self, which: np.ndarray[Any, Any]) -> Result:
        # An empty program of kind `file`: some releases reject an empty line of kind `single`.
        timeout = min(END_SECONDS, self.launch.timeout or END_SECONDS)
        launch = attrs.evolve(self.launch, kind="file", cancel=self.cancel, timeout=timeout)
        result = self._run(Program(b"", NAME), launch, which, stop=True)
        self.arenas.started = True  # other interpreters of the session stay alive
        return result

    def _conclude(self, result: Result, which: np.ndarray[Any, Any]) -> Answer:
        status = result.status[which]
        outputs = [result.stdout if len(which) == self.n else result.stdout.of(which)]
        exited = which[result.statuses.among(status, "EXIT")]
        if len(exited):
            self.live[exited] = False
            outputs.append(self._end(exited).stdout.of(exited))
        self.live[which[result.statuses.where_broken(status)]] = False
        return Answer(tuple(outputs), which, result)


def fitting(device: Device, most: int, sizes: Launch) -> int:
    """Return the number of interpreters to start by default: `most`, halved until they fit."""
    n = most
    while n > 1:
        try:
            _check_memory(device, n, _merged(sizes), n * PIXEL)
        except NotEnoughMemory:
            n //= 2
        else:
            break
    return n


def _merged(sizes: Launch) -> Launch:
    """Return `sizes` with tracebacks sent to stdout."""
    return attrs.evolve(sizes, merge_stderr=True, stderr=0)


def _check_memory(device: Device, n: int, sizes: Launch, outbuf: int) -> None:
    need = footprint(device, sizes, shared=-(-outbuf // n), arena_needed=True)
    budget = free(device, need)
    if outbuf > budget.left:
        raise NotEnoughMemory(
            f"outbuf of {format_size(outbuf)} does not fit: {format_size(budget.left)} are free",
            hint="Make --outbuf smaller, or -n: its default is 3 bytes per interpreter.",
        )
    budget.check(n, need.each, "--heap or --stdout")
