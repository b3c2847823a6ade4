"""Decode what a fallback process wrote: a frame for each call, as `runner` describes.

Input: the bytes of a frame, which a hostile process chooses. Output: a `FallbackOutcome`. No
function here raises or allocates memory by a number in the bytes. `porter.base.untrusted` decodes
values.
"""

from __future__ import annotations

from typing import Any

from attrs import frozen

from porter.base.exception_record import ExceptionRecord, TracebackFrame
from porter.base.untrusted import Unreadable, printable, value_of

MAX_FRAME = (4 << 20) + (1 << 16)  # bytes: a value of runner.MAX_VALUE, and what surrounds it
_MOST_TEXT = 1000  # characters of a reason
MAX_NAME = 200  # characters of a module's name
_MOST_FRAMES = 64  # entries of a traceback
# By kind: whether an exception follows.
_RAISING = {"raised", "exhausted", "syntax"}


@frozen
class FallbackOutcome:
    """The end of a call, or of a whole program, in CPython.

    Attributes:
        kind: "returned", "unreadable" (a value that cannot be encoded), "ended" (a whole program
            ran to its end), "exited", "raised", "exhausted" (memory or stack), "syntax",
            "no_entry", "refused" (an import), "late" (the deadline passed), "flooded" (far more
            output than is kept), "left" (by `os._exit`), "died" (by a signal) or "malformed".
        value: The returned value; an Unreadable where it cannot be decoded.
        record: The exception of "raised", "exhausted" and "syntax".
        code: The exit code of "exited".
        reason: Why the value is unreadable, the process died or the frame is malformed; the name of
            the refused module.
        output: Output of the call (bytes), cut.
        printed: Bytes of the whole output.
        stderr: Bytes that the call wrote to stderr, cut.
    """

    kind: str
    value: Any = None
    record: ExceptionRecord | None = None
    code: int = 0
    reason: str = ""
    output: bytes = b""
    printed: int = 0
    stderr: bytes = b""


def outcome_of(data: bytes) -> FallbackOutcome:
    """Return the outcome that a frame describes; one of the kind "malformed" if it is no frame."""
    frame = value_of(data)
    match frame:
        case ("returned", bytes(encoded)):
            return FallbackOutcome("returned", value_of(encoded, wrapped=True))
        case ("unreadable", str(reason)):
            text = _text(reason)
            return FallbackOutcome("unreadable", Unreadable(text, b""), reason=text)
        case ("ended",):
            return FallbackOutcome("ended")
        case ("no_entry",):
            return FallbackOutcome("no_entry")
        case ("exited", int(code)) if -(1 << 31) <= code < 1 << 31:
            return FallbackOutcome("exited", code=int(code))
        case ("refused", str(name)) if len(name) < MAX_NAME and _is_module(name):
            return FallbackOutcome("refused", reason=_text(name))
        case (str(kind), *parts) if kind in _RAISING:
            record = _record(parts)
            if record is not None:
                return FallbackOutcome(kind, record=record)
    return FallbackOutcome("malformed", reason="the process wrote bytes that are no result")


def _is_module(name: str) -> bool:
    return all(part.isidentifier() for part in name.split("."))


def _text(text: str) -> str:
    return printable(text[:_MOST_TEXT])


def _record(parts: list[Any]) -> ExceptionRecord | None:
    """Return the exception of a frame; None if the parts are malformed."""
    match parts:
        case [str(name), str(base), str(message), int(size), list(entries), int(omitted)]:
            if not (0 <= size < 1 << 31 and 0 <= omitted < 1 << 31):
                return None
            if len(entries) > _MOST_FRAMES:
                return None
            frames = []
            for entry in entries:
                match entry:
                    case (str(file), int(line), str(function)) if 0 <= line < 1 << 31:
                        frames.append(TracebackFrame(_text(file), line, _text(function)))
                    case _:
                        return None
            cut = frozenset(
                {"message"} if size > len(message.encode("utf-8", "surrogatepass")) else ()
            )
            return ExceptionRecord(
                _text(name),
                message[:_MOST_TEXT],
                _text(base),
                tuple(frames),
                len(frames) // 2 if omitted else 0,
                omitted,
                cut,
                size,
            )
    return None
