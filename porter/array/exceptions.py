"""Exceptions of many interpreters as data, grouped on the device.

Input: the exception records of a launch (`Result.records`). Output: `Exceptions`. Equal records are
merged on the device, and only distinct ones are copied to the host. `Call` is the caller.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
from attrs import field, frozen

from porter.array import html
from porter.base import markup
from porter.base.exception_record import ExceptionRecord, TracebackFrame, is_there, record_of
from porter.run import Result, Stream
from porter.run.advice import Limited
from porter.run.streams.groups import group_rows, rows_here


@frozen(eq=False)
class Raised:
    """An exception and the interpreters that it ended.

    Attributes:
        type: The name of its class.
        message: Its `str`, as far as it fits into its record.
        traceback: The traceback as Python prints it, the last line included.
        count: The number of interpreters.
        which: Their indices (count int64, rising).
        record: The exception in parts: `base`, `frames`, and notes on missing parts (`cut`,
            `omitted`, `message_from`).
        output_cut: The number of those interpreters whose output was cut.
    """

    type: str
    message: str
    traceback: str = field(repr=False)
    count: int
    which: np.ndarray[Any, Any] = field(repr=False)
    record: ExceptionRecord = field(repr=False)
    output_cut: int = field(default=0, repr=False)

    @property
    def frames(self) -> tuple[TracebackFrame, ...]:
        """Entries of the traceback, the outermost first."""
        return self.record.frames

    @property
    def cut(self) -> frozenset[str]:
        """The parts that did not fit whole: "type", "message", "frames", "names"."""
        return self.record.cut

    def __str__(self) -> str:
        return str(self.record)

    def _repr_html_(self) -> str:
        return html.exceptions_html([self])


class Exceptions(Sequence[Raised]):
    """The distinct exceptions of a launch, the most frequent first. Items are made on access.

    Attributes:
        failed: Which interpreters an exception ended (n bools, numpy).
    """

    def __init__(
        self,
        records: Sequence[ExceptionRecord | bytes],
        group_of: np.ndarray[Any, Any],
        streams: Sequence[Stream] = (),
    ) -> None:
        """Take the exceptions of `n` interpreters.

        Args:
            records: The record of each group of interpreters, or the bytes of the record.
            group_of: The group of each interpreter (n int64); -1 without an exception.
            streams: stdout and stderr of the launch.
        """
        self._group_of = group_of
        self.failed = group_of >= 0
        self._records, self._streams = records, streams
        counts = np.bincount(group_of[self.failed], minlength=len(records))
        self._order = np.argsort(-counts, kind="stable")
        self._counts = counts[self._order]

    def __len__(self) -> int:
        return len(self._records)

    @overload
    def __getitem__(self, index: int) -> Raised: ...
    @overload
    def __getitem__(self, index: slice) -> list[Raised]: ...
    def __getitem__(self, index: int | slice) -> Raised | list[Raised]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        group = int(self._order[index])
        found = self._records[group]
        record = record_of(found) if isinstance(found, bytes) else found
        which = np.flatnonzero(self._group_of == group)
        cut = np.zeros(len(which), np.bool_)
        for stream in self._streams:
            cut |= stream.cut[which]
        count = int(self._counts[index])
        return Raised(
            record.type, record.message, record.traceback, count, which, record, int(cut.sum())
        )

    def __iter__(self) -> Iterator[Raised]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"<{len(self)} exceptions of {int(self.failed.sum())} interpreters>"

    def _repr_html_(self) -> str:
        return html.exceptions_html(self) if len(self) else markup.note("no exceptions")


def collect(result: Result, exits: bool = False) -> Exceptions:
    """Return the exceptions of a launch that kept records.

    Args:
        result: The launch's result.
        exits: Whether a SystemExit of any code counts; otherwise code 0 does not.
    """
    status, statuses = result.status, result.statuses
    bad = ~statuses.among(status, "OK")
    if not exits:
        bad &= ~statuses.among(status, "EXIT") | (result.exit_code != 0)
    group_of = np.full(len(status), -1, np.int64)
    records: list[ExceptionRecord | bytes] = []
    streams = (result.stdout, result.stderr)
    if not bad.any():
        return Exceptions(records, group_of, streams)
    stopped = statuses.among(status, "STOPPED")
    if stopped.any():
        group_of[stopped] = len(records)
        records.append(ExceptionRecord("KeyboardInterrupt", "stopped"))
    for limited in result.limited:
        group_of[statuses.among(status, limited.status)] = len(records)
        records.append(_limited(limited))
    rest = np.flatnonzero(bad & (group_of < 0))
    if len(rest):
        records += _recorded(result, rest, group_of, len(records))
    return Exceptions(records, group_of, streams)


def _limited(limited: Limited) -> ExceptionRecord:
    name = "OutOfSteps" if limited.option == "max_steps" else "OutOfTime"
    return ExceptionRecord(name, limited.what)


def _recorded(
    result: Result, rest: np.ndarray[Any, Any], group_of: np.ndarray[Any, Any], base: int
) -> list[ExceptionRecord | bytes]:
    """Return the distinct records of interpreters `rest`; their groups are numbered from `base`."""
    assert result.records is not None
    chosen = result.records.of(rest)
    device = chosen.device
    merged = group_rows(chosen.words, chosen.lengths, device.operations)
    group_of[rest] = base + merged.group_of
    rows = rows_here(device, chosen.words, merged.example)
    return [
        row.tobytes() if is_there(row.data) else _unrecorded(result, int(rest[example]))
        for row, example in zip(rows, merged.example, strict=True)
    ]


def _unrecorded(result: Result, index: int) -> ExceptionRecord:
    """Return a record for an interpreter whose status is no exception, such as NOT_RUN."""
    name = result.statuses.name_of(int(result.status[index]))
    return ExceptionRecord("Exception", f"ended with the status {name}")
