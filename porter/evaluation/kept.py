"""What rows leave beside their statuses: output, tracebacks, values."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen

from porter.array import values as objects
from porter.array.exceptions import parse_traceback
from porter.base.untrusted import printable_text
from porter.evaluation.status import CaseStatus
from porter.run import Device, Stream
from porter.run.result import CallRows
from porter.run.streams.merge import rows_here

_WITH_TRACEBACK = (
    CaseStatus.RAISED,
    CaseStatus.SYNTAX_ERROR,
    CaseStatus.OUT_OF_MEMORY,
    CaseStatus.BROKEN,
    CaseStatus.NOT_COMPARED,
)


def texts(stream: Stream) -> list[bytes]:
    """What each row wrote, as far as it was kept."""
    lengths = np.minimum(stream.device.host(stream.lengths), stream.size)
    width = -(-int(lengths.max(initial=0)) // 8)
    data = rows_here(stream.device, stream.words, np.arange(len(lengths)), width).tobytes()
    width *= 8
    return [data[row * width : row * width + length] for row, length in enumerate(lengths.tolist())]


def tracebacks(
    stream: Stream, status: np.ndarray[Any, Any], first_row: np.ndarray[Any, Any]
) -> list[str | None]:
    """The traceback of each row that an exception ended; None for others.

    first_row: of each interpreter. Where its program failed before any call, that one wrote it.
    """
    found: list[str | None] = [None] * len(status)
    written = texts(stream)
    firsts = np.repeat(first_row[:-1], np.diff(first_row))
    for row in np.flatnonzero(np.isin(status, _WITH_TRACEBACK)).tolist():
        found[row] = parse_traceback(written[row] or written[firsts[row]])[2]
    return found


def last_lines(stream: Stream, rows: np.ndarray[Any, Any]) -> list[str]:
    """Return the last line that each of `rows` wrote; "" where it wrote none, or it was cut.

    Args:
        stream: What all rows wrote.
        rows: Indices of rows (int64).
    """
    written = texts(stream)
    whole = stream.device.host(stream.lengths) <= stream.size
    return [
        printable_text(written[row]).strip().rpartition("\n")[2] if whole[row] else ""
        for row in rows.tolist()
    ]


@frozen(eq=False)
class Returned:
    """What each row returned. there: whether it is here (bool).

    values: None where nothing was returned, or it is not here. lengths: bytes of each value that
    was announced (int64); they may be more than were kept.
    """

    values: list[Any]
    there: np.ndarray[Any, Any]
    lengths: np.ndarray[Any, Any]


def values(device: Device, rows: CallRows) -> Returned:
    """What interpreters have kept of what was returned."""
    assert rows.kind is not None and rows.bits is not None and rows.data is not None
    kinds = objects.kinds(device)
    kind, bits, data = (device.host(part) for part in (rows.kind, rows.bits, rows.data))
    lengths = objects.byte_lengths(kinds, kind, bits)
    size = data.shape[1]
    here = np.where(lengths > size, kinds["NONE"], kind).astype(np.uint8)
    starts = np.arange(len(kind)) * size
    found = objects.decoded(kinds, here, bits, data.reshape(-1).data, starts, None)
    return Returned(found, (here != kinds["NONE"]) & (here != kinds["ERROR"]), lengths)
