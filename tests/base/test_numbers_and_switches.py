"""Numbers, switches, sizes and paths of callers: one function validates each type."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import attrs
import numpy as np
import pytest

from porter import InterpreterArray, evaluate, profile
from porter.base import arguments
from porter.base.sizes import parse_size
from porter.config import SIZE_BOUNDS, SWITCHES, BuildConfig
from porter.errors import PorterError, UsageError, WrongType
from porter.evaluation import Tolerance
from porter.fs import Image
from porter.pipeline import build, rewrite_sources
from porter.run import Device, Launch, open_device, run
from porter.run.launch.options import Phase
from porter.run.open import chosen_devices
from porter.settings import load_config


class _Nothing:
    """A type that no argument has; its repr names no address, which would name the tests."""

    def __repr__(self) -> str:
        return "NOTHING"


NOTHING = _Nothing()

NO_SWITCH: list[Any] = [
    "yes", "", "no", b"x", 0, 1, -1, 1.0, float("nan"), None, [], [True], {}, NOTHING,
    np.int64(1), np.array([True]), np.array([True, False]), 2**70,
]  # fmt: skip
NO_COUNT: list[Any] = [
    True, False, np.bool_(True), 1.0, float("nan"), float("inf"), np.float64(1), "1", "", b"1",
    None, [1], np.array([1, 2]), 1j, {}, NOTHING,
]  # fmt: skip
NO_SECONDS: list[Any] = [True, np.bool_(True), "1", "", b"1", [1], 1j, {}, NOTHING]
CONFIG = BuildConfig(release="1.28.0")


@pytest.mark.parametrize("value", NO_SWITCH, ids=repr)
def test_a_switch_is_true_or_false(value: Any, any_device: Device, tmp_path: Any) -> None:
    refusing: list[Callable[[], object]] = [
        lambda: arguments.flag(value, "x"),
        lambda: InterpreterArray(1, device=any_device, sandbox=value),
        *(partial(attrs.evolve, CONFIG, **{name: value}) for name in SWITCHES),
        lambda: build(CONFIG, strict=value),
        lambda: rewrite_sources(CONFIG, strict=value, folder=tmp_path),
    ]
    for cls in (Launch, Phase):
        for field in attrs.fields(cls):
            if str(field.type).startswith("bool") and not (value is None and "None" in field.type):
                refusing.append(partial(cls, **{field.name: value}))
    if value is not None:  # None: the option is not given
        refusing.append(lambda: load_config({"bounds_checks": value}))
    assert len(refusing) > 18
    for refused in refusing:
        with pytest.raises(WrongType, match="neither True nor False"):
            refused()
    for given in (True, False, np.True_, np.array(False)):
        assert arguments.flag(given, "x") is bool(given)


@pytest.mark.parametrize("value", NO_SWITCH, ids=repr)
def test_switches_of_an_array(value: Any, any_device: Device) -> None:
    with InterpreterArray(1, device=any_device) as array:
        calls: list[Callable[[], object]] = [
            lambda: array.exec("1", check=value),
            lambda: array.exec("1", wait=value),
            lambda: array.eval("1", check=value),
            lambda: array.eval("1", wait=value),
            lambda: array.compile("1", native=value),
            lambda: array.bind("x", bytearray(1), split=value),
            lambda: array.bind("x", bytearray(1), readonly=value),
        ]
        for call in calls:
            with pytest.raises(WrongType, match="neither True nor False"):
                call()
        with pytest.raises((WrongType, UsageError), match="compiled: "):
            array.exec("1", compiled=value)


@pytest.mark.parametrize("value", NO_COUNT, ids=repr)
def test_a_count_is_an_integer(value: Any, any_device: Device, built: Any) -> None:
    calls: list[Callable[[], object]] = [
        lambda: InterpreterArray(value, device=any_device),
        lambda: InterpreterArray(1, device=any_device, block=value),
        lambda: InterpreterArray(1, device=any_device, seed=value),
        lambda: run(any_device, ["1"], value),
        lambda: profile("1", value),
        lambda: evaluate(["1"], [((), 1)], device=any_device, seed=value),
        lambda: Launch(block=value),
        lambda: Launch(seed=value),
        lambda: Image.empty(value),
    ]
    if value is not None:
        calls += [
            lambda: open_device(built.folder, "host", threads=value),
            lambda: evaluate(["1"], [((), 1)], device=any_device, batch=value),
            lambda: Launch(total=value),
            lambda: build(CONFIG, jobs=value),
            lambda: build(CONFIG, registers=value),
        ]
        if not isinstance(value, str):
            calls.append(lambda: chosen_devices([value]))
        if not isinstance(value, list | np.ndarray):
            calls.append(lambda: Launch(max_steps=value))
    for call in calls:
        with pytest.raises(WrongType):
            call()


def test_integers_of_other_libraries_are_integers(any_device: Device) -> None:
    with InterpreterArray(np.int8(2), device=any_device, heap=np.uint32(16384)) as array:  # type: ignore[arg-type]
        assert array.eval("numThreads").tolist() == [2, 2]
    config = attrs.evolve(CONFIG, **{"heap": np.int64(16384), "bounds_checks": np.True_})  # type: ignore[arg-type]
    assert config.key() == attrs.evolve(CONFIG, heap=16384, bounds_checks=True).key()
    assert (type(config.heap), type(config.bounds_checks)) == (int, bool)
    assert parse_size(np.int16(512)) == 512
    assert chosen_devices(np.int64(1)) == (1,) and chosen_devices(np.array([0, 1])) == (0, 1)


@pytest.mark.parametrize("value", NO_SECONDS, ids=repr)
def test_seconds_are_a_number(value: Any, any_device: Device) -> None:
    calls: list[Callable[[], object]] = [
        lambda: arguments.seconds(value, "x"),
        lambda: Launch(timeout=value),
        lambda: Launch(clock=value),
        lambda: evaluate(["1"], [((), 1)], device=any_device, clock=value),
        lambda: Tolerance(value),
        lambda: Tolerance(0, value),
    ]
    if not isinstance(value, list):
        calls.append(lambda: Launch(deadline=value))
    for call in calls:
        with pytest.raises(WrongType):
            call()


@pytest.mark.parametrize("value", [*NO_COUNT, -1, 2**200 + 1, "K", "12Q"], ids=repr)
@pytest.mark.parametrize("name", SIZE_BOUNDS)
def test_sizes(name: str, value: Any) -> None:
    with pytest.raises(PorterError, match=name):
        attrs.evolve(CONFIG, **{name: value})
    if value is not None:
        with pytest.raises(PorterError, match=name):
            load_config({name: value})


@pytest.mark.parametrize("value", [1, 2.5, True, [], {}, NOTHING, np.array([1, 2])], ids=repr)
def test_names_of_a_build(value: Any) -> None:
    for name in (
        "release",
        "arch",
        "arena",
        "target",
        "float",
        "level",
        "library",
        "freeze",
        "skip_patches",
    ):
        with pytest.raises(WrongType, match=name):
            attrs.evolve(CONFIG, **{name: value})
    for name in ("release", "target"):
        with pytest.raises(WrongType, match=name):
            load_config({name: value})
    with pytest.raises(WrongType, match="variant"):
        build(CONFIG, variant=value)
    odd: list[Any] = [value, "text", None]
    for options in odd:
        if not isinstance(options, dict):
            with pytest.raises(WrongType, match="mapping"):
                load_config(options)


@pytest.mark.parametrize("value", [1, True, None, [], 2.5, NOTHING], ids=repr)
def test_an_image_is_asked_for_paths(value: Any) -> None:
    image = Image.empty(65536)
    for call in (image.read, image.entry, image.make_folder, Image.load):
        with pytest.raises(WrongType, match="path: "):
            call(value)
    with pytest.raises(WrongType, match="path: "):
        image.write(value, b"")
    with pytest.raises(WrongType, match="content: "):
        image.write("a", value)
