"""What a launch leaves: output per interpreter, groups of equal outputs, statuses."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from attrs import field, frozen

from porter.base.untrusted import printable_text
from porter.errors import (
    FileProblem,
    LaunchFailed,
    LimitReached,
    NotEnoughMemory,
    ProgramFailed,
    ProgramSyntaxError,
)
from porter.run.counted import Counted
from porter.run.device.base import Array
from porter.run.lacks import Lack, advice
from porter.run.limited import Limited, limit_hint
from porter.run.status import Status
from porter.run.streams.groups import Stream

FENCE = b"Fence: "  # begins the last line of an interpreter that a fence ended


@frozen(eq=False)
class Values:
    """What programs left: arrays on the device. kind: n uint8, GPUSNEK_VALUE_* of interp.h.

    bits: n uint64: a bool, an int64, a double, or how many bytes wait to be fetched.
    """

    kind: Array
    bits: Array


@frozen(eq=False)
class CallRows:
    """What each call left: arrays of one element a row, on the device.

    status: int32, as a launch's; not_run where an interpreter broke before. equal: uint8, whether
    the result was the expected one. steps: uint64. lack: uint8, GPUSNEK_LACK_*. kind, bits: of the
    result, as Values has them; data: its bytes where they are no more than value_size.
    """

    status: Array = field(repr=False)
    equal: Array = field(repr=False)
    steps: Array = field(repr=False)
    lack: Array = field(repr=False)
    kind: Array | None = field(default=None, repr=False)
    bits: Array | None = field(default=None, repr=False)
    data: Array | None = field(default=None, repr=False)


def exit_status(codes: np.ndarray[Any, Any]) -> int:
    """The first of SystemExits' codes (k int32) that is not 0, as a process ends with it.

    That is its low 8 bits; 0 where there is none.
    """
    low = codes & 0xFF
    others = low[low != 0]
    return int(others[0]) if len(others) else 0


def broken_by_name(statuses: type[Status], status: np.ndarray[Any, Any]) -> dict[str, int]:
    """How many of `status` (n int32) say that an interpreter broke, by C name, lowest first."""
    found = statuses.tally(status[statuses.where_broken(status)])
    return {statuses.name_of(value): count for value, count in found.items()}


def fenced(result: Result) -> str:
    """How many interpreters fences ended, and what the first of them was refused."""
    ended = result.statuses.among(result.status, "STATUS_FENCE")
    count, n, first = int(ended.sum()), len(result.status), int(ended.argmax())
    said = f"{count} of {n} interpreters {'was' if count == 1 else 'were'} ended by a fence"
    for stream in (result.stderr, result.stdout):
        *_, last = [b"", *stream[first].splitlines()]
        if last.startswith(FENCE):
            return f"{said}: {printable_text(last.removeprefix(FENCE))}"
    return said


@frozen(slots=False, eq=False)
class Result:
    """One launch's results.

    status: n int32 (GPUSNEK_* of interp.h, negative ones of launch.h). exit_code: n int32, what
    SystemExit carried. allocations: n uint32, tried by program i, failed ones too. seconds: of
    the launch alone. interrupted: the timeout passed, the launch was cancelled, or Ctrl-C
    came. lost: n uint32, bytes for which rings had no room, where output went there; then, and
    with printf, the streams hold only what could not go out. timings: seconds by step; `device`
    is what the device's own clock says of the launch. lacks: sizes that were too small for
    programs that ended with an exception. limited: limits that ended programs.
    taken: `steps`, where they are: n uint64 on the device. order: in which order interpreters
    began: "programs", or "caller", with ": " and why where several programs kept it. calls: what
    calls left, where the launch made some; streams have a row for each of them then. counted: what
    interpreters of a profiling build counted, where the launch asked for it. refused: why
    interpreters with the status NOT_RUN did not run, of chunks without room (device/chunks.py).
    records: of each interpreter, or of each call, the record of the exception that ended it
    (base/exception_record.py), all zero where there was none; where the launch asked for them.
    """

    stdout: Stream
    stderr: Stream
    status: np.ndarray[Any, Any] = field(repr=False)
    exit_code: np.ndarray[Any, Any] = field(repr=False)
    allocations: np.ndarray[Any, Any] = field(repr=False)
    seconds: float
    interrupted: bool = False
    timings: dict[str, float] = attrs.field(factory=dict)
    values: Values | None = field(default=None, repr=False)
    lost: np.ndarray[Any, Any] | None = field(default=None, repr=False)
    lacks: tuple[Lack, ...] = ()
    limited: tuple[Limited, ...] = ()
    taken: Array | None = field(default=None, repr=False)
    order: str = "caller"
    calls: CallRows | None = field(default=None, repr=False)
    counted: Counted | None = field(default=None, repr=False)
    refused: NotEnoughMemory | None = field(default=None, repr=False)
    records: Stream | None = field(default=None, repr=False)

    def count(self, status: int) -> int:
        """How many interpreters ended with `status`."""
        return int((self.status == status).sum())

    @property
    def steps(self) -> np.ndarray[Any, Any]:
        """Loop turns, branches and calls of each program (n uint64), copied to the host now."""
        if self.taken is None:
            return np.zeros(len(self.status), np.uint64)
        return self.stdout.device.host(self.taken)

    @property
    def statuses(self) -> type[Status]:
        """What the numbers in `status` mean in this build."""
        return self.stdout.device.built.status

    @property
    def exit_status(self) -> int:
        """What SystemExits end a process with (exit_status); 0 where there was none."""
        return exit_status(self.exit_code[self.statuses.among(self.status, "EXIT")])

    def raise_unless_started(self, option: str = "--heap") -> None:
        """NotEnoughMemory or FileProblem if interpreters could not start.

        option: how the caller writes the size to change.
        """
        n = len(self.status)
        if small := self.statuses.count(self.status, "NO_MEMORY"):
            raise NotEnoughMemory(
                f"{small} of {n} interpreters could not start: the heap is too small",
                hint=f"Make {option} larger.",
            )
        if unmounted := self.statuses.count(self.status, "NO_FILE_SYSTEM"):
            raise FileProblem(f"{unmounted} of {n} interpreters could not mount their file system")

    def raise_for_status(self, option: str = "--heap") -> None:
        """Raise what the statuses say; nothing where all programs ended well or by SystemExit.

        ProgramSyntaxError, what raise_unless_started raises, LaunchFailed for interpreters that
        broke, LimitReached where limits alone ended programs, ProgramFailed for exceptions. Where
        several are the case, the first of these.
        """
        n = len(self.status)
        if wrong := self.statuses.count(self.status, "SYNTAX_ERROR"):
            if wrong == n and len(self.stderr.groups) == 1:
                message = printable_text(self.stderr.groups[0].text).strip()
                raise ProgramSyntaxError(message or "the program has a syntax error")
            raise ProgramSyntaxError(f"the program has a syntax error in {wrong} interpreters")
        self.raise_unless_started(option)
        if broken := broken_by_name(self.statuses, self.status):
            if list(broken) == [self.statuses["STATUS_FENCE"].c_name]:
                raise LaunchFailed(fenced(self))
            kinds = ", ".join(f"{name} {count}x" for name, count in broken.items())
            raise LaunchFailed(f"interpreters broke: {kinds}")
        if failed := int(self.statuses.where_failed(self.status).sum()):
            ends = [limited.text(n) for limited in self.limited]
            hint = " ".join(filter(None, (advice(self.lacks, n), limit_hint(self.limited)))) or None
            if failed == sum(limited.count for limited in self.limited):
                raise LimitReached(", ".join(ends), hint=hint)
            why = "were interrupted or failed" if self.interrupted else "ended with an error"
            text = ", ".join([f"{failed} of {n} interpreters {why}", *ends])
            raise ProgramFailed(text, hint=hint)
