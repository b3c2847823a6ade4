"""porter: from an upstream MicroPython release to a Python interpreter per GPU thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from porter.version import __version__

if TYPE_CHECKING:
    from porter.array import InterpreterArray
    from porter.profiling import profile

__all__ = ["InterpreterArray", "__version__", "profile"]


def __getattr__(name: str) -> Any:
    # Loaded when asked for: every command imports this package, few need numpy.
    if name == "InterpreterArray":
        from porter.array import InterpreterArray

        return InterpreterArray
    if name == "profile":
        from porter.profiling import profile

        return profile
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
