from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from porter import InterpreterArray
from porter.native import cache
from porter.run import Device, open_device

if TYPE_CHECKING:
    from porter.pipeline import Build

Make = Callable[..., InterpreterArray]


@pytest.fixture(scope="session")
def twin(built: Build) -> Iterator[Device]:
    device = open_device(built.folder, "host")
    yield device
    device.close()


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the cache folder for native code that these tests make."""
    return str(tmp_path_factory.mktemp("kept"))


@pytest.fixture(autouse=True)
def elsewhere(kept: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "natives_dir", lambda: Path(kept))


@pytest.fixture
def make(twin: Device) -> Iterator[Make]:
    """Return a function that makes arrays of n interpreters on the host twin; close them at the
    end.
    """
    made: list[InterpreterArray] = []

    def make(n: int, **options: Any) -> InterpreterArray:
        made.append(InterpreterArray(n, device=twin, **options))
        return made[-1]

    yield make
    for array in made:
        array.close()


@pytest.fixture
def two(make: Make) -> InterpreterArray:
    return make(2)
