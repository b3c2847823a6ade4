"""Register the magics `%%gpusnek` and `%gpusnek` with IPython."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from IPython.core.magic import no_var_expand

from porter.array import InterpreterArray
from porter.errors import UsageError
from porter.notebook.cells import Cells
from porter.notebook.options import DEFAULT_NAME, MAGIC, help_text

_loaded: list[Cells] = []  # at most one entry, for the shell with the extension


def load(shell: Any) -> None:
    """Register the magics with an IPython shell. Loading again keeps the interpreters."""
    if _loaded:
        return
    cells = Cells(shell)
    _loaded.append(cells)

    def cell_magic(line: str, cell: str) -> None:
        cells.cell(line, cell)

    def line_magic(line: str) -> object:
        return cells.line(line)

    no_var_expand(line_magic)  # braces belong to code; Cells.line expands them in options
    for magic, kind in ((cell_magic, "cell"), (line_magic, "line")):
        magic.__doc__ = help_text()
        shell.register_magic_function(magic, kind, MAGIC)


def unload(shell: Any) -> None:
    """Unregister the magics and end the interpreters."""
    for kind in ("cell", "line"):
        shell.magics_manager.magics[kind].pop(MAGIC, None)
    while _loaded:
        _loaded.pop().kept.close()


def interpreters(name: str = DEFAULT_NAME) -> InterpreterArray:
    """Return the array that cells with `--name NAME` run on.

    Raises:
        UsageError: There is no such array.
    """
    found: Mapping[str, Any] = _loaded[0].kept.entries if _loaded else {}
    if name not in found:
        raise UsageError(
            f"name: there are no interpreters {name!r}", hint=f"A %%{MAGIC} cell makes them."
        )
    array: InterpreterArray = found[name].array
    return array
