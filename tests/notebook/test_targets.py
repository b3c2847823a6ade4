"""A cell's arrays and picture on the host twin; on a GPU, in device memory throughout."""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("IPython", reason="a machine for GPU tests alone may lack Jupyter")

from porter.notebook.cells import Cells
from tests.conftest import TARGETS


@pytest.fixture(params=TARGETS)
def options(request: pytest.FixtureRequest) -> str:
    """Return the options of a line that select the device."""
    if request.param == "host":
        return f"--target host --build {request.getfixturevalue('built').folder}"
    if "PORTER_GPU_BUILD" not in os.environ:
        pytest.skip("PORTER_GPU_BUILD names no device build")
    return f"--target cuda --build {os.environ['PORTER_GPU_BUILD']}"


@pytest.fixture
def cells() -> Iterator[Cells]:
    names: dict[str, Any] = {}
    display = SimpleNamespace(prompt_count=3)
    shell = SimpleNamespace(user_ns=names, push=names.update, displayhook=display)
    made = Cells(shell)
    yield made
    made.kept.close()


def test_arrays_where_the_interpreters_are(
    cells: Cells, options: str, capsys: pytest.CaptureFixture[str]
) -> None:
    names = cells.shell.user_ns
    cells.cell(f"-n 300 {options}", "x = threadIdx\nprint('hello', x % 2)")
    assert "----- 150x -----\\nhello 0\\n----- 150x -----\\nhello 1" in capsys.readouterr().out
    array = cells.kept.entries["main"].array
    names["rows"] = array.device.xp.arange(600.0).reshape(300, 2)
    cells.cell("--bind rows --get total", "total = rows[0] + rows[1]\nrows[0] = -1")
    assert isinstance(names["total"], array.device.xp.ndarray)
    assert array.device.host(names["total"]).tolist() == [4.0 * i + 1 for i in range(300)]
    assert float(names["rows"][:, 0].sum()) == -300
    cells.cell("", "import time\ntime.sleep(0.3)\noutbuf[x * 3:x * 3 + 3] = [x % 7] * 3\noutbuf")
    assert "outbuf: 17x17 pixels" in capsys.readouterr().out
    assert array.device.host(array.outbuf).tolist() == [i // 3 % 7 for i in range(900)]
    cells.cell("--live", "print('now')")
    assert "now\n" in capsys.readouterr().out
