"""Execute notebooks of tests, like `jupyter execute`, on the host twin."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from attrs import frozen

pytest.importorskip("nbclient", reason="a machine for GPU tests alone may lack Jupyter")
pytest.importorskip("ipykernel", reason="a machine for GPU tests alone may lack Jupyter")

import nbformat
from nbclient import NotebookClient

from porter.sync.store import synced_releases

ROOT = Path(__file__).resolve().parents[2]
INTERRUPT = "interrupt"  # in a cell's metadata: a text of its output at which it is interrupted


class Client(NotebookClient):
    """A client that interrupts the kernel when a cell's output has the text of its metadata."""

    def process_message(self, msg: dict[str, Any], cell: Any, cell_index: int) -> Any:
        """Process one message from the kernel."""
        found = super().process_message(msg, cell, cell_index)
        text = cell.metadata.get(INTERRUPT)
        if text and "data" in msg["content"] and text in str(msg["content"]["data"]):
            del cell.metadata[INTERRUPT]
            kernel: Any = self.km
            self.pressed = asyncio.ensure_future(kernel.interrupt_kernel())
        return found


# Other workers of pytest use the same build, so a cell may have to wait for it.
WAITS = re.compile(r"^porter: waiting for process \d+ .*\n", re.MULTILINE)


@frozen
class Ran:
    """A cell that has run, with its outputs."""

    cell: Any

    @property
    def text(self) -> str:
        """Return the outputs except errors, as plain text."""
        text = "".join(_plain(output) + "\n" for output in self.cell.outputs)
        return WAITS.sub("", text).rstrip("\n")

    @property
    def html(self) -> str:
        """Return the outputs in HTML."""
        return "".join(self.data("text/html"))

    @property
    def error(self) -> str:
        """Return the traceback as users see it, without colours; empty without an exception."""
        found = [o for o in self.cell.outputs if o.output_type == "error"]
        text = "\n".join("\n".join(one.traceback) for one in found)
        return uncoloured(text)

    def data(self, kind: str) -> list[str]:
        """Return the outputs of a MIME type."""
        return [o.data[kind] for o in self.cell.outputs if kind in o.get("data", {})]


def uncoloured(text: str) -> str:
    """Return `text` without ANSI colours."""
    return re.sub(r"\x1b\[[\d;]*m", "", text)


def _plain(output: Any) -> str:
    if output.output_type == "stream":
        return str(output.text).rstrip("\n")
    return str(output.get("data", {}).get("text/plain", ""))


Execute = Callable[..., list[Ran]]


def environment() -> dict[str, str]:
    """Return the environment in which a kernel runs this checkout's porter on the tests' build."""
    found = {**os.environ, "PYTHONPATH": str(ROOT), "PORTER_TARGET": "host"}
    found["PORTER_RELEASE"] = synced_releases()[-1]
    return found


def execute_notebook(notebook: Any, **variables: str) -> list[Ran]:
    """Execute it in an empty folder; its cells with their outputs."""
    client = Client(notebook, kernel_name="python3", allow_errors=True, timeout=300)
    with TemporaryDirectory() as folder:
        client.execute(cwd=folder, env={**environment(), **variables})
    return [Ran(cell) for cell in notebook.cells if cell.cell_type == "code"]


def execute_cells(folder: Path, cells: Sequence[str | tuple[str, str]]) -> list[Ran]:
    """Run cells in a new kernel that has loaded porter; (text, interrupt at) is a cell too.

    BUILD in their texts is `folder`.
    """
    notebook = nbformat.v4.new_notebook()
    notebook.cells.append(nbformat.v4.new_code_cell("%load_ext porter"))
    for cell in cells:
        source, at = cell if isinstance(cell, tuple) else (cell, None)
        metadata = {INTERRUPT: at} if at else {}
        source = source.replace("BUILD", str(folder))
        notebook.cells.append(nbformat.v4.new_code_cell(source, metadata=metadata))
    return execute_notebook(notebook)[1:]
