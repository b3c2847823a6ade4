"""Progress of a launch while a caller waits for it."""

from __future__ import annotations

import pytest

from porter.errors import WrongType
from porter.run import Device, Launch, run

SLOW = "import time\nif threadIdx % 2: time.sleep(0.5)"


def test_how_many_have_ended(any_device: Device) -> None:
    told: list[int | None] = []
    result = run(any_device, [SLOW], 6, Launch(on_progress=told.append))
    result.raise_for_status()
    assert 2 <= len(told) <= 20  # ten times a second
    if any_device.on_gpu:
        assert set(told) == {None}
    else:
        numbers = [number for number in told if number is not None]
        assert numbers == sorted(numbers) and 3 in numbers


def test_what_it_raises_stops_the_launch(any_device: Device) -> None:
    def refuse(ended: int | None) -> None:
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        run(any_device, ["while True: pass"], 3, Launch(on_progress=refuse))


def test_it_is_a_function() -> None:
    with pytest.raises(WrongType, match="on_progress"):
        Launch(on_progress=7)  # type: ignore[arg-type]
