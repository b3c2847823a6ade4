"""The notebooks of examples/ run to their end, and their stored outputs are current."""

from __future__ import annotations

import base64
import io
import re
from typing import TYPE_CHECKING, Any

import nbformat
import numpy as np
import pytest

from tests.notebook.executing import ROOT, Ran, execute_notebook, uncoloured

if TYPE_CHECKING:
    from porter.pipeline import Build

Image = pytest.importorskip("PIL.Image")
FOLDER = ROOT / "examples" / "notebooks"
CHANGING = re.compile(r"\d+\.\d+(e-\d+)?( s|,)|seconds=[^,]*")  # times


def read(name: str) -> Any:
    """Return a notebook; check its stored form."""
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    assert str(ROOT) not in str(notebook) and "/home/" not in str(notebook)
    return notebook


def seen(ran: Ran) -> str:
    """Return a cell's output without times."""
    return CHANGING.sub("", f"{ran.text}\n{uncoloured(ran.error)}")


def test_first_steps(built: Build) -> None:
    notebook = read("first_steps")
    stored = [seen(Ran(cell)) for cell in notebook.cells if cell.cell_type == "code"]
    assert any("hello from 2" in text for text in stored)
    found = execute_notebook(notebook)
    assert [seen(ran) for ran in found] == stored
    for ran in found:
        assert bool(ran.error) == ("raises-exception" in ran.cell.metadata.get("tags", ()))


def colour(index: int, side: int) -> tuple[int, int, int]:
    """Return red, green and blue of a pixel."""
    x0, y0 = index % side / side * 0.13 - 0.62, index // side / side * 0.13 - 0.65
    x = y = i = 0.0
    while x * x + y * y <= 4 and i < 30:
        x, y, i = x * x - y * y + x0, 2 * x * y + y0, i + 1
    share = i / 30
    red, green, blue = 256 * share, 256 * share**2, 256 * (1 - share)
    return min(255, int(red)), min(255, int(green)), min(255, int(blue))


def test_the_beetle(built: Build) -> None:
    side = 32
    found = execute_notebook(read("beetle"), SIDE=str(side))
    assert not [ran.error for ran in found if ran.error]
    first, second = [data for ran in found for data in ran.data("image/png")]
    picture = np.asarray(Image.open(io.BytesIO(base64.b64decode(first))).convert("RGB"))
    assert picture.shape == (256, 256, 3)
    expected = [colour(i, side) for i in range(side * side)]
    assert picture[::8, ::8].reshape(-1, 3).tolist() == [list(one) for one in expected]
    grey = np.asarray(Image.open(io.BytesIO(base64.b64decode(second))).convert("RGB"))
    assert (grey[:, :, 0] == grey[:, :, 2]).all() and len(np.unique(grey)) > 5
