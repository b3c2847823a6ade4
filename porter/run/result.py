"""What a launch leaves: output per interpreter, groups of equal outputs, statuses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, overload

import attrs
import numpy as np
from attrs import field, frozen

from porter.base.arguments import whole
from porter.errors import (
    FileProblem,
    LaunchFailed,
    NotEnoughMemory,
    ProgramFailed,
    ProgramSyntaxError,
)
from porter.run.device.base import Array, Device
from porter.run.lacks import Lack, advice
from porter.run.status import Status
from porter.run.streams.merge import Rows, group_rows


@frozen
class Group:
    """Interpreters with the same output. cut: it was longer than its buffer.

    example: the index of one of them; length: bytes that were written, stored or not.
    """

    text: bytes
    count: int
    example: int
    length: int

    @property
    def cut(self) -> bool:
        """Whether some of the output was not kept."""
        return self.length > len(self.text)


BEYOND = 2**200  # an index has the stream's length as its bound
_CHUNK = 4096  # groups made at a time


class Groups(Sequence[Group]):
    """Groups, the largest first, equal counts by text. Made one at a time, on demand."""

    def __init__(
        self,
        texts: np.ndarray[Any, Any],
        lengths: np.ndarray[Any, Any],
        rows: Rows,
    ) -> None:
        """texts: k x bytes uint8, of which there may be none. lengths: k."""
        keys = np.zeros(len(texts), "S1")
        if texts.size:  # one fixed-width string per group sorts as bytes do; no loop over groups
            keys = np.ascontiguousarray(texts).view(f"S{texts.shape[1]}").reshape(-1)
        order = np.lexsort((keys, -rows.count)) if len(keys) else np.zeros(0, np.int64)
        self._texts, self._lengths = texts[order], lengths[order]
        self._counts, self._examples = rows.count[order], rows.example[order]

    def __len__(self) -> int:
        return len(self._counts)

    @overload
    def __getitem__(self, index: int) -> Group: ...
    @overload
    def __getitem__(self, index: slice) -> list[Group]: ...
    def __getitem__(self, index: int | slice) -> Group | list[Group]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        length = int(self._lengths[index])
        text = self._texts[index].tobytes()[:length]
        return Group(text, int(self._counts[index]), int(self._examples[index]), length)

    def __iter__(self) -> Iterator[Group]:
        # By chunks: numpy takes microseconds for one element, and there may be a million groups.
        for at in range(0, len(self), _CHUNK):
            chunk = slice(at, at + _CHUNK)
            texts = self._texts[chunk]
            width, raw = texts.shape[1], texts.tobytes()
            columns = (self._counts[chunk], self._examples[chunk], self._lengths[chunk])
            numbers = zip(*(column.tolist() for column in columns), strict=True)
            for row, (count, example, length) in enumerate(numbers):
                start = row * width
                yield Group(raw[start : start + min(length, width)], count, example, length)


@frozen(slots=False, eq=False)
class Stream:
    """One stream of all interpreters.

    words: n x (size / 8) uint64 where the interpreters ran, zero beyond what was written.
    lengths: n uint32, all bytes that were written, those that did not fit too. size: bytes kept.
    """

    device: Device = field(repr=False)
    words: Array = field(repr=False)
    lengths: Array = field(repr=False)
    size: int

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, index: int) -> bytes:
        """What interpreter `index` wrote, as far as it was kept; IndexError if there is none."""
        index = whole(index, "index", -BEYOND, BEYOND)
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} of {len(self)} interpreters")
        index %= len(self)
        row = self.device.host(self.words[index : index + 1])
        return row.tobytes()[: min(self.size, int(self.lengths[index]))]

    def of(self, which: np.ndarray[Any, Any]) -> Stream:
        """The stream of interpreters `which` (indices) alone, as a copy."""
        index = self.device.array(which)
        return Stream(self.device, self.words[index], self.lengths[index], self.size)

    @cached_property
    def longest(self) -> int:
        """The most bytes that one interpreter wrote."""
        return int(self.lengths.max()) if len(self.lengths) else 0

    @cached_property
    def cut(self) -> np.ndarray[Any, Any]:
        """Which interpreters wrote more than was kept (n bools, numpy)."""
        return self.device.host(self.lengths > self.size)

    @cached_property
    def groups(self) -> Groups:
        """Equal outputs merged, on the device; only distinct ones travel."""
        if not len(self.words):
            empty = np.zeros(0, np.int64)
            return Groups(np.zeros((0, 1), np.uint8), empty, Rows(empty, empty, empty))
        columns = -(-min(self.size, self.longest) // 8)
        used = self.words[:, :columns]
        rows = group_rows(used, self.lengths, self.device.xp)
        example = self.device.array(rows.example)
        if columns:
            texts = self.device.host(self.device.xp.ascontiguousarray(used[example]))
            texts = texts.view(np.uint8).reshape(len(rows.example), -1)
        else:
            texts = np.zeros((len(rows.example), 0), np.uint8)
        return Groups(texts, self.device.host(self.lengths[example]), rows)


@frozen(eq=False)
class Values:
    """What programs left: arrays on the device. kind: n uint8, GPUSNEK_VALUE_* of interp.h.

    bits: n uint64: a bool, an int64, a double, or how many bytes wait to be fetched.
    """

    kind: Array
    bits: Array


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


@frozen(slots=False, eq=False)
class Result:
    """One launch's results.

    status: n int32 (GPUSNEK_* of interp.h, negative ones of launch.h). exit_code: n int32, what
    SystemExit carried. allocations: n uint32, tried by program i, failed ones too. seconds: of
    the launch alone. interrupted: the deadline passed, the launch was cancelled, or Ctrl-C
    came. lost: n uint32, bytes for which rings had no room, where output went there; then, and
    with printf, the streams hold only what could not go out. timings: seconds by step; `device`
    is what the device's own clock says of the launch. lacks: sizes that were too small for
    programs that ended with an exception.
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

    def count(self, status: int) -> int:
        """How many interpreters ended with `status`."""
        return int((self.status == status).sum())

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
        broke, ProgramFailed for exceptions. Where several are the case, the first of these.
        """
        n = len(self.status)
        if wrong := self.statuses.count(self.status, "SYNTAX_ERROR"):
            if wrong == n and len(self.stderr.groups) == 1:
                message = self.stderr.groups[0].text.decode("utf-8", "replace").strip()
                raise ProgramSyntaxError(message or "the program has a syntax error")
            raise ProgramSyntaxError(f"the program has a syntax error in {wrong} interpreters")
        self.raise_unless_started(option)
        if broken := broken_by_name(self.statuses, self.status):
            kinds = ", ".join(f"{name} {count}x" for name, count in broken.items())
            raise LaunchFailed(f"interpreters broke: {kinds}")
        if failed := int(self.statuses.where_failed(self.status).sum()):
            why = "were interrupted or failed" if self.interrupted else "ended with an error"
            hint = advice(self.lacks, n)
            raise ProgramFailed(f"{failed} of {n} interpreters {why}", hint=hint)
