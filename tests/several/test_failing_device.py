"""A device that fails loses its part: the others end, and their results are available."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from porter import InterpreterArray
from porter.errors import DeviceFailed, NotEnoughMemory, UsageError, WrongType
from porter.run import Launch, open_several, run
from porter.run.footprint import MemoryBudget
from tests.several.conftest import ApartTwin, apart

if TYPE_CHECKING:
    from porter.pipeline import Build


@pytest.mark.parametrize("how", ["start", "wait"])
def test_the_rest_is_there(built: Build, how: str) -> None:
    devices = apart(built, 3)
    failing = devices.devices[1]
    assert isinstance(failing, ApartTwin)
    failing.fails = how
    with pytest.raises(DeviceFailed, match="GPU 1 failed with interpreters 4 to 7: ") as raised:
        run(devices, ["print('done')"], 12, Launch(block=4))
    result, hint = raised.value.result, raised.value.hint
    assert hint and hint.startswith("The other 8 have ended")
    lost = [result.statuses.name_of(int(value)) for value in result.status[4:8]]
    assert lost == ["GPUSNEK_STATUS_NOT_RUN"] * 4
    assert [(group.text, group.count) for group in result.stdout.groups] == [
        (b"done\n", 8),
        (b"", 4),
    ]


def test_an_array_says_so_and_closes(built: Build) -> None:
    devices = apart(built)
    failing = devices.devices[0]
    assert isinstance(failing, ApartTwin)
    with InterpreterArray(8, device=devices, block=4) as pythons:
        pythons.exec("x = threadIdx")
        failing.fails = "wait"
        with pytest.raises(DeviceFailed) as raised:
            pythons.exec("print(x)")
        assert raised.value.result.stdout[7] == b"7\n"


def test_no_room_on_one_device_starts_nothing(
    built: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    devices = apart(built)
    monkeypatch.setattr(devices, "memory_budget", lambda local: MemoryBudget(1 << 40, 0))
    monkeypatch.setattr(devices.devices[1], "memory_budget", lambda local: MemoryBudget(0, 0))
    with pytest.raises(NotEnoughMemory, match=r"^GPU 1: 4 interpreters do not fit"):
        run(devices, ["print(1)"], 8, Launch(block=4))


@pytest.mark.parametrize(
    "devices, error, message",
    [
        ([], UsageError, "there is none"),
        ("tpu", UsageError, "'tpu' is no device"),
        ([-1], UsageError, "-1"),
        ([True], WrongType, "bool is not a whole number"),
        ([None], WrongType, "None"),
        ([0.5], WrongType, "float"),
        (3.5, WrongType, "float"),
        ([0, "host"], UsageError, "not on both"),
        ([1, 1], UsageError, "named twice"),
        (["all", 0], UsageError, "`all` excludes other devices"),
    ],
)
def test_wrong_devices(built: Build, devices: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        open_several(built.folder, devices)  # type: ignore[arg-type]
    with pytest.raises(error, match=message):
        InterpreterArray(4, build=built.folder, devices=devices)  # type: ignore[arg-type]


def test_devices_and_other_choices(built: Build, tmp_path: Path) -> None:
    two = ["host", "host"]
    with pytest.raises(UsageError, match="target: cuda, but devices are of target host"):
        InterpreterArray(4, build=built.folder, devices=two, target="cuda")
    with pytest.raises(UsageError, match="stream: it is one GPU's"):
        InterpreterArray(4, build=built.folder, devices=two, stream=5)
    with pytest.raises(UsageError, match="devices: the open device has its own"):
        InterpreterArray(4, device=open_several(built.folder, two), devices=two)
