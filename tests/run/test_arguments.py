"""Arguments of porter.run: accepted values, and refusals by name before a launch."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from porter.errors import NotBuilt, UsageError, WrongType
from porter.run import Device, Feed, Launch, Program, open_device, run
from porter.run.built import open_build

TYPES: list[tuple[str, Any]] = [
    ("seed", "a"), ("seed", None), ("block", "a"), ("block", 1.5), ("first", None), ("heap", "4K"),
    ("stack", 4096.0), ("stdout", b"1"), ("timeout", "1"), ("timeout", [1]), ("interrupt", None),
    ("ring", "1M"), ("kind", 5), ("console", None), ("stdin", None), ("stdin", 5),
    ("stdin", [1, 2]), ("stdin", {1: 2}), ("bind", []), ("cancel", 1), ("on_output", "print"),
]  # fmt: skip
VALUES: list[tuple[str, Any]] = [
    ("timeout", math.nan), ("timeout", math.inf), ("timeout", -1), ("timeout", 10**400),
    ("heap", -16), ("heap", 16), ("heap", 2**70), ("heap", 4100), ("pystack", 2**40),
    ("stack", 2**40), ("stdout", -1), ("stderr", 2**40), ("first", -1), ("total", 2**32),
    ("interrupt", 2**32), ("seed", 2**300), ("print_buffer", -1),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), TYPES)
def test_types(name: str, value: Any) -> None:
    with pytest.raises(WrongType, match=rf"^{name}: "):
        Launch(**{name: value})


@pytest.mark.parametrize(("name", "value"), VALUES)
def test_values(name: str, value: Any) -> None:
    with pytest.raises(UsageError, match=rf"^{name}: "):
        Launch(**{name: value})


def test_numbers_of_any_kind() -> None:
    numbers: dict[str, Any] = {
        "block": np.int32(4),
        "heap": np.int64(4096),
        "timeout": np.float32(1),
    }
    launch = Launch(seed=-(2**63), **numbers)
    assert launch.heap == 4096


def test_stdin_is_bytes() -> None:
    assert Launch(stdin="\u00e9").stdin == b"\xc3\xa9"  # one text, not a letter each
    assert Launch(stdin=bytearray(b"x")).stdin == b"x"
    assert list(Launch(stdin=["a", b"b"]).stdin) == [b"a", b"b"]  # type: ignore[arg-type]


def test_programs() -> None:
    assert Program("\u00e9").source == b"\xc3\xa9"
    assert Program(b"\xef\xbb\xbfx").source == b"x"
    assert list(Program.many([b"\xef\xbb\xbfx", b"y"], "n")) == [
        Program("x", "n"),
        Program("y", "n"),
    ]
    for source in (None, 5, ["x"]):
        with pytest.raises(WrongType, match=r"^source: "):
            Program(source)
    with pytest.raises(WrongType, match=r"^name: "):
        Program(b"", Path("x"))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"^name: .* NUL"):
        Program(b"", "a\0b")


def test_runs(device: Device) -> None:
    for error, match, args in (
        (WrongType, "^device: int", (5, ["c"], 1)),
        (WrongType, "^programs: str", (device, "c", 1)),
        (WrongType, "^programs: Program", (device, Program("c"), 1)),
        (WrongType, "^source: int", (device, [5], 1)),
        (WrongType, "^n: float", (device, ["c"], 1.0)),
        (UsageError, "^n: 0 is not", (device, ["c"], 0)),
        (UsageError, "^n: a number of 3322", (device, ["c"], 10**1000)),
        (WrongType, "^launch: dict", (device, ["c"], 1, {"seed": 1})),
        (WrongType, "^fs: bytes", (device, ["c"], 1, Launch(fs=b"image"))),
        (WrongType, "^phase: dict", (device, ["c"], 1, None, {"stop": False})),
        (UsageError, "^bind: 5 is not", (device, ["c"], 1, Launch(bind={5: 1}))),  # type: ignore[dict-item]
        (UsageError, "^stdin: 1 texts for 2", (device, ["c"], 2, Launch(stdin=["x"]))),
    ):
        with pytest.raises(error, match=match):
            run(*args)
    for which, wrong in (("ab", WrongType), ([0.5, 1], WrongType), ([-1, 0], UsageError)):
        with pytest.raises(wrong, match=r"^program_of: "):
            run(device, ["c"], 2, program_of=which)  # type: ignore[arg-type]


def test_folders(build: Path) -> None:
    class Folder:
        def __fspath__(self) -> str:
            return str(build)

    for folder in (build, str(build), Folder()):
        assert open_device(folder, "host").built.folder == open_build(folder).folder
    for wrong in (None, 5, ["x"]):
        with pytest.raises(WrongType, match=r"^folder: "):
            open_device(wrong, "host")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"^folder: "):
        open_build("a\0b")
    with pytest.raises(NotBuilt):
        open_build("/no/such")


def test_devices(build: Path) -> None:
    for error, match, target, options in (
        (WrongType, "^target: None", None, {}),
        (UsageError, "^target: 'tpu'", "tpu", {}),
        (UsageError, "^stream: host has no", "host", {"stream": 1}),
        (WrongType, "^threads: str", "host", {"threads": "2"}),
        (UsageError, "^threads: 0 is", "host", {"threads": 0}),
        (WrongType, "^block: str", "cuda", {"block": "a"}),
    ):
        with pytest.raises(error, match=match):
            open_device(build, target, **options)  # type: ignore[arg-type]


def test_feeds() -> None:
    with pytest.raises(WrongType, match=r"^capacity: "):
        Feed("1M")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"^capacity: "):
        Feed(-1)
    with pytest.raises(WrongType, match=r"^text: "):
        Feed().write(5)  # type: ignore[arg-type]
