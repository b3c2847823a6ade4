"""Arrays of Python interpreters: the API for programs that have arrays (docs/python-api.md)."""

from porter.array.array import InterpreterArray
from porter.array.code import Code
from porter.array.exceptions import Exceptions, Raised
from porter.array.outcome import Handle, Outcome
from porter.array.values import Repr

__all__ = ["Code", "Exceptions", "Handle", "InterpreterArray", "Outcome", "Raised", "Repr"]
