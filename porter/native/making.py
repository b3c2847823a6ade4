"""From bytecode to loaded machine code, by way of the cache."""

from __future__ import annotations

import hashlib
import json
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from attrs import field, frozen

from porter.base.fingerprint import content_digest
from porter.compiler.cxx import compile_module
from porter.compiler.mpy import Module, read_module
from porter.errors import LaunchFailed
from porter.native.cache import Entry, entry_of, forget
from porter.native.lines import lines_of
from porter.native.module import NativeModule
from porter.native.report import NativeFunction
from porter.native.target import Target, target_of
from porter.run import Device

HEAD = 12  # bytes before the .mpy: code_head_t of templates/port/code.c
SYMBOL = "tier_run"
MOST_ENTRIES = 2**16 - 1  # gpusnek_native_t numbers them with uint16_t


def make(device: Device, code: bytes, source: bytes, name: str) -> NativeModule:
    """Machine code of the bytecode `code` of `source`, where some of it gains by that.

    Raises UsageError where `device` runs none, NoCompiler, BuildFailed.
    """
    return make_for(target_of(device), code, source, name)


def make_for(target: Target, code: bytes, source: bytes, name: str) -> NativeModule:
    """As make, for the device that `target` is about."""
    making = _Maker(target, code, source, name)
    try:
        return making.module()
    except LaunchFailed:
        forget(making.key)  # something of the machine has changed that the key does not tell
        return making.module()


class _NothingGains(Exception):
    """No part of a program is worth machine code."""


@frozen
class _Maker:
    """Machine code of `code` for `target`. seconds: filled in."""

    target: Target
    code: bytes
    source: bytes
    name: str
    seconds: dict[str, float] = field(factory=dict)

    @property
    def key(self) -> str:
        """Names all that the machine code is made from."""
        values = [*self.target.identity, _translator()]
        digest = hashlib.sha256(json.dumps(values).encode())
        digest.update(self.code)
        return digest.hexdigest()

    def module(self) -> NativeModule:
        """Raises LaunchFailed for what does not load."""
        functions: list[Any] = []
        try:
            with entry_of(self.key, self.target.suffix, self._writer(functions)) as entry:
                return self._loaded(entry)
        except _NothingGains:
            return self._module(functions)

    def _writer(self, functions: list[Any]) -> Callable[[Path, Path], Mapping[str, Any]]:
        def write(text: Path, machine: Path) -> Mapping[str, Any]:
            with self._step("translate"):
                tables = self.target.tables
                module = read_module(self.code, HEAD, tables)
                made = compile_module(module, tables, lines_of(self.source), symbol=SYMBOL)
                functions[:] = rows_of(module, sorted(at for at, _ in made.entries))
            if not made.entries:
                raise _NothingGains
            with self._step("compile"):
                text.write_text(made.text, encoding="utf-8")
                self.target.build(text, machine)
            return {"entries": made.entries, "functions": functions}

        return write

    def _loaded(self, entry: Entry) -> NativeModule:
        record = entry.record
        with self._step("load"):
            run, keep = self.target.load(entry.machine, SYMBOL)
            entries = np.zeros(len(self.code), np.uint16)
            for at, number in record["entries"]:
                if number <= MOST_ENTRIES:
                    entries[at] = number
        return self._module(
            record["functions"],
            text=entry.text.read_text(encoding="utf-8"),
            path=entry.text if entry.kept else None,
            entries=entries,
            run=run,
            cached=entry.cached,
            keep=keep,
        )

    def _module(self, functions: Sequence[Any], **loaded: Any) -> NativeModule:
        each = tuple(NativeFunction(self.name, *row) for row in functions)
        return NativeModule(self.name, lines_of(self.source), each, seconds=self.seconds, **loaded)

    @contextmanager
    def _step(self, name: str) -> Iterator[None]:
        began = time.monotonic()
        yield
        self.seconds[name] = time.monotonic() - began


def rows_of(module: Module, entries: Sequence[int]) -> list[tuple[str, int, int]]:
    """Of each function its name, the line at which its code begins, and how many entries it has.

    entries: where they are in the bytecode, rising.
    """
    rows = []
    for number, function in enumerate(module.functions):
        size = max((each.next for each in function.code), default=0)
        inside = bisect_left(entries, function.start + size) - bisect_left(entries, function.start)
        known = module.names[function.name]
        name = "<module>" if number == 0 else known or "<function>"
        rows.append((name, min(function.lines.values(), default=1), inside))
    return rows


@cache
def _translator() -> str:
    """A digest of all that makes machine code of bytecode."""
    here = Path(__file__).resolve().parent
    return content_digest([here, here.parent / "compiler"], "__pycache__".__eq__)
