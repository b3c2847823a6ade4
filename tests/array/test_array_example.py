"""examples/arrays.py, and the code blocks of docs/reference/python-api.md."""

from __future__ import annotations

import importlib.util
import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from porter import InterpreterArray
from porter.run import Device

ROOT = Path(__file__).parents[2]


def test_example(
    any_device: Device, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = importlib.util.spec_from_file_location("arrays_example", ROOT / "examples/arrays.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "InterpreterArray", partial(InterpreterArray, device=any_device))
    monkeypatch.setattr("sys.argv", ["arrays.py", "100"])
    module.main()
    assert capsys.readouterr().out.splitlines() == [
        "longest Collatz chain: 118 from 97",
        "sin^2 + cos^2 is 1 everywhere: True",
        "34x hello from 0",
        "33x hello from 1",
        "33x hello from 2",
        "25x ZeroDivisionError: division by zero, first in interpreter 0",
    ]


def test_documented_code(any_device: Device, capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "reference" / "python-api.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 2
    scope: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("porter.InterpreterArray", partial(InterpreterArray, device=any_device))
        for block in blocks:
            exec(block, scope)
    squares = any_device.host(scope["squares"])
    assert squares.tolist() == [i * i % 7 for i in range(1000)] and squares.dtype == np.int64
    assert any_device.host(scope["data"]).tolist() == [i * i / 2 for i in range(1000)]
    assert capsys.readouterr().out.startswith("3 AssertionError a third [0 3 6]\nTraceback")
