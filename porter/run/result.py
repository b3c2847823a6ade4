"""The result of a launch: output per interpreter, groups of equal outputs, statuses.

`porter.run.launch` builds a `Result` from a finished launch. Callers read it or turn it into an
exception.
"""

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
from porter.run.advice import Lack, Limited, advice, limit_hint
from porter.run.device.base import Array, Device
from porter.run.status import Status
from porter.run.streams.groups import Stream

REFUSED_ACCESS = (
    b"Bounds check: "  # prefix of the last line of an interpreter that failed a bounds check
)


@frozen(eq=False)
class Values:
    """The programs' return values, as arrays on the device.

    Attributes:
        kind: Type codes GPUSNEK_VALUE_* of interp.h (n uint8).
        bits: A bool, an int64, a double, or the number of bytes to fetch (n uint64).
    """

    kind: Array
    bits: Array


@frozen(eq=False, slots=False)
class CallRows:
    """The result of each call, as arrays on the device with one element per row.

    Attributes:
        status: Status codes of a launch (int32); not_run where an earlier call broke the
            interpreter.
        equal: Whether the result was the expected one (uint8).
        steps: Steps of the call (uint64).
        lack: GPUSNEK_LACK_* (uint8).
        missing: Equal for rows whose exceptions lack the same name; 0: only the record of the
            exception tells (uint32).
        kind: The result's type, as in Values.
        bits: The result's value, as in Values.
        data: The result's bytes, where they are at most value_size.
    """

    status: Array = field(repr=False)
    equal: Array = field(repr=False)
    steps: Array = field(repr=False)
    lack: Array = field(repr=False)
    missing: Array = field(repr=False)
    kind: Array | None = field(default=None, repr=False)
    bits: Array | None = field(default=None, repr=False)
    data: Array | None = field(default=None, repr=False)

    def host(self, device: Device, name: str) -> np.ndarray[Any, Any]:
        """Return an attribute as a numpy array, which is copied from the device once."""
        copies = self.__dict__.setdefault("copies", {})
        if name not in copies:
            copies[name] = device.host(getattr(self, name))
        found: np.ndarray[Any, Any] = copies[name]
        return found


def exit_status(codes: np.ndarray[Any, Any]) -> int:
    """Return the process exit status for SystemExit codes.

    Args:
        codes: The codes of all SystemExits (k int32).

    Returns:
        The low 8 bits of the first code whose low 8 bits are not 0; 0 if there is no such code.
    """
    low = codes & 0xFF
    others = low[low != 0]
    return int(others[0]) if len(others) else 0


def broken_by_name(statuses: type[Status], status: np.ndarray[Any, Any]) -> dict[str, int]:
    """Count the interpreters that broke, by the C name of their status, lowest status first."""
    found = statuses.tally(status[statuses.where_broken(status)])
    return {statuses.name_of(value): count for value, count in found.items()}


def bounds_check_message(result: Result) -> str:
    """Describe how many interpreters failed a bounds check, with the first one's refused access."""
    ended = result.statuses.among(result.status, "STATUS_OUT_OF_BOUNDS")
    count, n, first = int(ended.sum()), len(result.status), int(ended.argmax())
    said = f"{count} of {n} interpreters failed a bounds check"
    for stream in (result.stderr, result.stdout):
        *_, last = [b"", *stream[first].splitlines()]
        if last.startswith(REFUSED_ACCESS):
            return f"{said}: {printable_text(last.removeprefix(REFUSED_ACCESS))}"
    return said


@frozen(slots=False, eq=False)
class Result:
    """The result of one launch.

    Attributes:
        stdout: Standard output of each interpreter, or of each call where the launch made calls.
        stderr: Standard error, likewise.
        status: GPUSNEK_* of interp.h, or negative values of launch.h (n int32).
        exit_code: Codes of SystemExit (n int32).
        attempts: The data of `allocations`, on the device (n uint32).
        seconds: Duration of the launch alone.
        interrupted: Whether the timeout, a cancellation or Ctrl-C interrupted the launch.
        timings: Seconds by step; `device` is measured by the device's clock.
        values: Return values, where the launch asked for them.
        lost: Bytes dropped because rings were full, where output went through rings (n uint32).
            With rings or printf, the streams hold only output that could not be sent.
        lacks: Sizes that were too small for programs that ended with an exception.
        limited: Limits that ended programs.
        taken: The data of `steps` on the device (n uint64), where steps were counted.
        order: Start order of interpreters: "programs" or "caller". Where several programs ran in
            the caller's order, ": " and the reason follow.
        calls: Results of calls, where the launch made any.
        counted: Counters of a profiling build, where the launch asked for them.
        refused: Why interpreters with the status NOT_RUN did not run: no memory for their chunk
            (device/chunks.py).
        records: Exception records per interpreter or per call (base/exception_record.py), zero
            where no exception ended it; where the launch asked for them.
    """

    stdout: Stream
    stderr: Stream
    status: np.ndarray[Any, Any] = field(repr=False)
    exit_code: np.ndarray[Any, Any] = field(repr=False)
    attempts: Array = field(repr=False)
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
        """Return how many interpreters ended with `status`."""
        return int((self.status == status).sum())

    @property
    def steps(self) -> np.ndarray[Any, Any]:
        """Loop iterations, branches and calls of each program (n uint64), copied on each read."""
        if self.taken is None:
            return np.zeros(len(self.status), np.uint64)
        return self.stdout.device.host(self.taken)

    @property
    def allocations(self) -> np.ndarray[Any, Any]:
        """Attempted allocations per program, failed ones included (n uint32), copied on each read.

        Evaluations do not read them.
        """
        return self.stdout.device.host(self.attempts)

    @property
    def statuses(self) -> type[Status]:
        """The enum of the numbers in `status`."""
        return self.stdout.device.built.status

    @property
    def exit_status(self) -> int:
        """The process exit status for these SystemExits; 0 without any."""
        return exit_status(self.exit_code[self.statuses.among(self.status, "EXIT")])

    def raise_unless_started(self, option: str = "--heap") -> None:
        """Raise if interpreters could not start.

        Args:
            option: The caller's spelling of the heap size, for the hint.

        Raises:
            NotEnoughMemory: The heap was too small to start.
            FileProblem: The file system could not be mounted.
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
        """Raise the exception that the statuses imply; return if all programs succeeded or exited.

        The exceptions are listed in order of precedence.

        Args:
            option: The caller's spelling of the heap size, for the hint.

        Raises:
            ProgramSyntaxError: A program does not compile.
            NotEnoughMemory: The heap was too small to start.
            FileProblem: The file system could not be mounted.
            LaunchFailed: Interpreters broke.
            LimitReached: Limits ended all failed programs.
            ProgramFailed: Programs ended with exceptions.
        """
        n = len(self.status)
        if wrong := self.statuses.count(self.status, "SYNTAX_ERROR"):
            if wrong == n and len(self.stderr.groups) == 1:
                message = printable_text(self.stderr.groups[0].text).strip()
                raise ProgramSyntaxError(message or "the program has a syntax error")
            raise ProgramSyntaxError(f"the program has a syntax error in {wrong} interpreters")
        self.raise_unless_started(option)
        if broken := broken_by_name(self.statuses, self.status):
            if list(broken) == [self.statuses["STATUS_OUT_OF_BOUNDS"].c_name]:
                raise LaunchFailed(bounds_check_message(self))
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


@frozen(eq=False)
class Counted:
    """The counters of the interpreters that were sampled in a launch.

    Row r belongs to interpreter `r // 32 * step * 32 + r % 32`.

    Attributes:
        buffers: Counter memory on the device, one row per sampled interpreter (uint8).
        step: Distance between sampled warps.
    """

    buffers: Array
    step: int

    def host(self, device: Device) -> np.ndarray[Any, Any]:
        """Copy the rows to the host (uint8)."""
        return device.host(self.buffers)


def refuse_broken(result: Result) -> None:
    """Raise LaunchFailed if interpreters broke, and cannot run again."""
    statuses = result.statuses
    broken = statuses.where_broken(result.status) | statuses.among(result.status, "NOT_STARTED")
    if result.refused is not None:
        broken &= ~statuses.among(result.status, "STATUS_NOT_RUN")
    if broken.any():
        first = int(broken.argmax())
        name = statuses.name_of(int(result.status[first]))
        why = name.removeprefix("GPUSNEK_STATUS_").removeprefix("GPUSNEK_").lower()
        if result.statuses.count(result.status, "STATUS_OUT_OF_BOUNDS"):
            why += f" ({bounds_check_message(result)})"
        raise LaunchFailed(
            f"{int(broken.sum())} interpreters broke; number {first}: {why}",
            hint="Close this array and make another.",
        )
