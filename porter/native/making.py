"""From bytecode to loaded machine code."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from porter.base import markup
from porter.compiler.cxx import compile_module
from porter.compiler.mpy import read_module
from porter.native.module import NativeModule
from porter.native.target import Target, target_of
from porter.run import Device

HEAD = 12  # bytes before the .mpy: code_head_t of templates/port/code.c
SYMBOL = "tier_run"
MOST_ENTRIES = 2**16 - 1  # gpusnek_native_t numbers them with uint16_t
_NEWLINE = re.compile(r"\r\n|\r|\n")  # as upstream's reader counts lines


def make(device: Device, code: bytes, source: bytes) -> NativeModule | None:
    """Machine code of the bytecode `code` of `source`; None where nothing of it gains by that.

    Raises UsageError where `device` has none, NoCompiler, BuildFailed.
    """
    target = target_of(device)
    return _made(target, code, source)


def _made(target: Target, code: bytes, source: bytes) -> NativeModule | None:
    seconds: dict[str, float] = {}
    with _step(seconds, "translate"):
        module = read_module(code, HEAD, target.tables)
        made = compile_module(module, target.tables, lines_of(source), symbol=SYMBOL)
        entries = np.zeros(len(code), np.uint16)
        for at, number in made.entries:
            if number <= MOST_ENTRIES:
                entries[at] = number
    if not made.entries:
        return None
    with tempfile.TemporaryDirectory(prefix="gpusnek-") as folder:
        text, library = Path(folder, "module.cpp"), Path(folder, f"module{target.suffix}")
        with _step(seconds, "compile"):
            text.write_text(made.text, encoding="utf-8")
            target.build(text, library)
        with _step(seconds, "load"):
            run, keep = target.load(library, SYMBOL)
    return NativeModule(made.text, entries, run, seconds, keep)


def lines_of(source: bytes) -> Sequence[str]:
    """The lines of `source` as comments of C++ can have them.

    What has no picture is escaped, and no line ends with what would join the next one to it.
    """
    lines = _NEWLINE.split(source.decode("utf-8", "backslashreplace"))
    return [markup.visible(line).rstrip(" \t\\") for line in lines]


@contextmanager
def _step(seconds: dict[str, float], name: str) -> Iterator[None]:
    began = time.monotonic()
    yield
    seconds[name] = time.monotonic() - began
