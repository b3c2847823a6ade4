"""Read per-row outputs, exceptions and return values back from a finished launch."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen

from porter.base.exception_record import ExceptionRecord, is_there, record_of
from porter.base.untrusted import text_of
from porter.evaluation.status import CaseStatus
from porter.run import Device, Stream
from porter.run import values as objects
from porter.run.result import CallRows
from porter.run.streams.groups import rows_here

_RAISED = (CaseStatus.RAISED, CaseStatus.SYNTAX_ERROR, CaseStatus.OUT_OF_MEMORY)
_TRACEBACK = "Traceback (most recent call last):\n"


def texts(stream: Stream) -> list[bytes]:
    """Return each row's output, as far as it was kept."""
    lengths = np.minimum(stream.device.host(stream.lengths), stream.size)
    width = -(-int(lengths.max(initial=0)) // 8)
    data = rows_here(stream.device, stream.words, np.arange(len(lengths)), width).tobytes()
    width *= 8
    return [data[row * width : row * width + length] for row, length in enumerate(lengths.tolist())]


def exceptions(
    records: Stream, status: np.ndarray[Any, Any], first_row: np.ndarray[Any, Any]
) -> list[ExceptionRecord | None]:
    """Return the exception that ended each row; None for rows without one.

    Args:
        records: A record of each row.
        status: CaseStatus of each row (int8).
        first_row: The first row of each interpreter. Where its program failed before any call, that
            row has the record.
    """
    found: list[ExceptionRecord | None] = [None] * len(status)
    rows = np.flatnonzero(np.isin(status, (*_RAISED, CaseStatus.NOT_COMPARED)))
    if not len(rows):
        return found
    firsts = np.repeat(first_row[:-1], np.diff(first_row))[rows]
    wanted = np.unique(np.concatenate([rows, firsts]))
    kept = rows_here(records.device, records.words, wanted)
    known: dict[bytes, ExceptionRecord | None] = {}
    # A NOT_COMPARED row has made its call, so the program before it did not fail.
    firsts = np.where(status[rows] == CaseStatus.NOT_COMPARED, rows, firsts)
    places = np.searchsorted(wanted, np.stack([rows, firsts])).T.tolist()
    for row, (own, first) in zip(rows.tolist(), places, strict=True):
        for place in (own, first):
            data = kept[place].tobytes()
            if data not in known:
                known[data] = record_of(data) if is_there(data) else None
            if (record := known[data]) is not None:
                found[row] = record
                break
    return found


def reports(stderr: Stream, status: np.ndarray[Any, Any]) -> list[str | None]:
    """Return the report on stderr of each row whose interpreter broke; None for others."""
    found: list[str | None] = [None] * len(status)
    broken = np.flatnonzero(status == CaseStatus.BROKEN)
    if len(broken):
        for row, written in zip(broken.tolist(), texts(stderr.of(broken)), strict=True):
            text = text_of(written)
            found[row] = text[max(text.rfind(_TRACEBACK), 0) :]
    return found


def summaries(records: Stream, rows: np.ndarray[Any, Any]) -> list[str]:
    """Return type and message of the exception of each of `rows`; "" for a row without one.

    Args:
        records: A record of each row.
        rows: Indices of rows, ascending (int64).
    """
    kept = rows_here(records.device, records.words, rows)
    found = [row.tobytes() for row in kept]
    return [record_of(data).summary if is_there(data) else "" for data in found]


@frozen(eq=False)
class Returned:
    """The returned value of each row.

    Attributes:
        values: The values; None where nothing was returned or the value was not kept.
        there: Whether the value is in `values` (bool).
        lengths: Bytes of each returned value, also of values that were not kept (int64).
    """

    values: list[Any]
    there: np.ndarray[Any, Any]
    lengths: np.ndarray[Any, Any]


def values(device: Device, rows: CallRows) -> Returned:
    """Decode the returned values that interpreters kept."""
    assert rows.kind is not None and rows.bits is not None and rows.data is not None
    kinds = objects.kinds(device)
    kind, bits, data = (device.host(part) for part in (rows.kind, rows.bits, rows.data))
    lengths = objects.byte_lengths(kinds, kind, bits)
    size = data.shape[1]
    here = np.where(lengths > size, kinds["NONE"], kind).astype(np.uint8)
    starts = np.arange(len(kind)) * size
    found = objects.decoded(kinds, here, bits, data.reshape(-1).data, starts, None)
    return Returned(found, here != kinds["NONE"], lengths)
