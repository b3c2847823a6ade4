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
    """Register the magics of docs/how-to/notebook.md; IPython calls this for `%load_ext porter`.

    Args:
        shell: IPython's shell.
    """
    from porter.notebook import load

    load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """Remove the magics and end the interpreters of cells, for `%unload_ext porter`."""
    from porter.notebook import unload

    unload(shell)
