"""Arrays of persistent interpreters: the Python API (docs/reference/python-api.md)."""

from porter.array.array import InterpreterArray
from porter.array.call import Call
from porter.array.exceptions import Exceptions, Raised
from porter.array.outcome import Outcome
from porter.base.exception_record import ExceptionRecord, TracebackFrame
from porter.base.untrusted import Repr, Unreadable
from porter.native.code import Code

Handle = Call  # the name in earlier documentation

__all__ = [
    "Call",
    "Code",
    "ExceptionRecord",
    "Exceptions",
    "Handle",
    "InterpreterArray",
    "Outcome",
    "Raised",
    "Repr",
    "TracebackFrame",
    "Unreadable",
]
