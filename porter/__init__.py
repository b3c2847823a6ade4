"""porter: from an upstream MicroPython release to a Python interpreter per GPU thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from porter.version import __version__

if TYPE_CHECKING:
    from porter.array import InterpreterArray
    from porter.evaluation import evaluate
    from porter.profiling import profile

__all__ = ["InterpreterArray", "__version__", "evaluate", "profile"]


def __getattr__(name: str) -> Any:
    # Loaded when asked for: every command imports this package, few need numpy.
    if name == "InterpreterArray":
        from porter.array import InterpreterArray

        return InterpreterArray
    if name == "evaluate":
        from porter.evaluation import evaluate

        return evaluate
    if name == "profile":
        from porter.profiling import profile

        return profile
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext porter` calls: the magics of docs/how-to/notebook.md. shell: IPython's."""
    from porter.notebook import load

    load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """What `%unload_ext porter` calls; the interpreters of the notebook's cells end."""
    from porter.notebook import unload

    unload(shell)
