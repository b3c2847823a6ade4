"""Examples as modules, whose interpreters run on the device of the test."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest

from porter import InterpreterArray, evaluate
from porter.run import Device

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
Load = Callable[[str], ModuleType]
Made = Callable[..., str]


@pytest.fixture
def load(any_device: Device, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Return the example in a file below examples/, as a module."""

    def load(file: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(f"example_{Path(file).stem}", EXAMPLES / file)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        ours = {
            "InterpreterArray": partial(InterpreterArray, device=any_device),
            "evaluate": partial(evaluate, device=any_device),
            "open_device": lambda folder, target: any_device,
        }
        for name, value in ours.items():
            if hasattr(module, name):
                monkeypatch.setattr(module, name, value)
        return module

    return load


@pytest.fixture
def made(
    load: Load,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Made:
    """Return a function that runs an example as users do, checks its picture, and returns its
    output.
    """

    def made(file: str, *options: object, picture: str = "picture.png") -> str:
        Image = pytest.importorskip("PIL.Image")
        path = tmp_path / picture
        monkeypatch.setattr(sys, "argv", [file, *map(str, options), str(path)])
        load(file).main()
        with Image.open(path) as opened:
            colours = opened.convert("RGB").getcolors(1 << 24)
            assert len(colours) > 10, "it is empty"
        return capsys.readouterr().out

    return made


@pytest.fixture
def plots() -> None:
    """The test needs matplotlib, which the extras `examples` and `test` have."""
    pytest.importorskip("matplotlib", reason="matplotlib is missing: install .[examples]")
