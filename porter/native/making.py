"""From bytecode to loaded machine code, by way of the cache."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen

from porter.base.fingerprint import content_digest
from porter.compiler.cxx import Compiled, compile_module
from porter.compiler.mpy import read_module
from porter.errors import LaunchFailed
from porter.native.cache import Entry, entry_of, forget
from porter.native.lines import lines_of
from porter.native.module import NativeModule
from porter.native.target import Target, target_of
from porter.run import Device

HEAD = 12  # bytes before the .mpy: code_head_t of templates/port/code.c
SYMBOL = "tier_run"
MOST_ENTRIES = 2**16 - 1  # gpusnek_native_t numbers them with uint16_t


class _NothingGains(Exception):
    """No part of a program is worth machine code."""


def make(device: Device, code: bytes, source: bytes) -> NativeModule | None:
    """Machine code of the bytecode `code` of `source`; None where nothing of it gains by that.

    Raises UsageError where `device` runs none, NoCompiler, BuildFailed.
    """
    making = _Making(target_of(device), code, source, {})
    try:
        return making.module()
    except LaunchFailed:
        forget(making.key)  # something of the machine has changed that the key does not tell
        return making.module()
    except _NothingGains:
        return None


@frozen
class _Making:
    """Machine code of `code` for `target`. seconds: filled in."""

    target: Target
    code: bytes
    source: bytes
    seconds: dict[str, float]

    @property
    def key(self) -> str:
        """Names all that the machine code is made from."""
        values = [*self.target.identity, _translator()]
        digest = hashlib.sha256(json.dumps(values).encode())
        digest.update(self.code)
        return digest.hexdigest()

    def module(self) -> NativeModule:
        """Raises LaunchFailed for what does not load."""
        with entry_of(self.key, self.target.suffix, self._write) as entry:
            return self._loaded(entry)

    def _write(self, text: Path, machine: Path) -> Mapping[str, Any]:
        with self._step("translate"):
            made = self._translated()
        if not made.entries:
            raise _NothingGains
        with self._step("compile"):
            text.write_text(made.text, encoding="utf-8")
            self.target.build(text, machine)
        return {"entries": made.entries}

    def _translated(self) -> Compiled:
        tables = self.target.tables
        module = read_module(self.code, HEAD, tables)
        return compile_module(module, tables, lines_of(self.source), symbol=SYMBOL)

    def _loaded(self, entry: Entry) -> NativeModule:
        with self._step("load"):
            run, keep = self.target.load(entry.machine, SYMBOL)
            entries = np.zeros(len(self.code), np.uint16)
            for at, number in entry.record["entries"]:
                if number <= MOST_ENTRIES:
                    entries[at] = number
            text = entry.text.read_text(encoding="utf-8")
        kept = entry.text if entry.kept else None
        return NativeModule(text, kept, entries, run, entry.cached, self.seconds, keep)

    @contextmanager
    def _step(self, name: str) -> Iterator[None]:
        began = time.monotonic()
        yield
        self.seconds[name] = time.monotonic() - began


@cache
def _translator() -> str:
    """A digest of all that makes machine code of bytecode."""
    here = Path(__file__).resolve().parent
    return content_digest([here, here.parent / "compiler"], "__pycache__".__eq__)
