"""Exceptions of many interpreters as data: equal ones merged where they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
from attrs import field, frozen

from porter.array import shown
from porter.array.fetch import Fetcher, fetch_rows
from porter.base import markup
from porter.base.untrusted import printable, text_of, value_of
from porter.run import Device, Result
from porter.run.limited import Limited
from porter.run.streams.merge import group_rows, rows_here


@frozen(eq=False)
class Raised:
    """One exception and the interpreters that it ended.

    type: its class's name. message: its `str`. traceback: as Python prints it, the last line
    included. count: how many interpreters. which: their indices (count int64, rising).
    """

    type: str
    message: str
    traceback: str = field(repr=False)
    count: int
    which: np.ndarray[Any, Any] = field(repr=False)

    def __str__(self) -> str:
        return printable(f"{self.type}: {self.message}" if self.message else self.type)

    def _repr_html_(self) -> str:
        return shown.exceptions_html([self])


Text = tuple[str, str, str]  # type, message, traceback
_SHOWN = 200  # characters of a record that does not read


class Exceptions(Sequence[Raised]):
    """The different exceptions of a launch, the most frequent first. Made on demand.

    failed: n bools (numpy), which interpreters an exception ended.
    """

    def __init__(self, texts: Sequence[Text | bytes], group_of: np.ndarray[Any, Any]) -> None:
        """texts[g]: what group g raised, or its marshalled bytes. group_of: n int64, -1: none."""
        self._group_of = group_of
        self.failed = group_of >= 0
        self._texts = texts
        counts = np.bincount(group_of[self.failed], minlength=len(texts))
        self._order = np.argsort(-counts, kind="stable")
        self._counts = counts[self._order]

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, index: int) -> Raised: ...
    @overload
    def __getitem__(self, index: slice) -> list[Raised]: ...
    def __getitem__(self, index: int | slice) -> Raised | list[Raised]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        group = int(self._order[index])
        text = self._texts[group]
        kind, message, traceback = _read(text) if isinstance(text, bytes) else text
        which = np.flatnonzero(self._group_of == group)
        return Raised(kind, message, traceback, int(self._counts[index]), which)

    def __iter__(self) -> Iterator[Raised]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"<{len(self)} exceptions of {int(self.failed.sum())} interpreters>"

    def _repr_html_(self) -> str:
        return shown.exceptions_html(self) if len(self) else markup.note("no exceptions")


def collect(device: Device, result: Result, fetcher: Fetcher, exits: bool = False) -> Exceptions:
    """The exceptions of `result`, whose launch asked for values.

    A SystemExit counts unless its code is 0, or whatever its code with `exits`. `fetcher` gets
    what interpreters announced.
    """
    status, statuses = result.status, result.statuses
    exited = statuses.among(status, "EXIT")
    bad = ~statuses.among(status, "OK")
    if not exits:
        bad &= ~exited | (result.exit_code != 0)
    group_of = np.full(len(status), -1, np.int64)
    texts: list[Text | bytes] = []
    if not bad.any():
        return Exceptions(texts, group_of)
    texts += _exits(result, bad & exited, group_of)
    stopped = statuses.among(status, "STOPPED")
    if stopped.any():
        group_of[stopped] = len(texts)
        texts.append(("KeyboardInterrupt", "stopped", "KeyboardInterrupt: stopped\n"))
    for limited in result.limited:
        group_of[statuses.among(status, limited.status)] = len(texts)
        texts.append(_limited(limited))
    texts += _announced(device, result, fetcher, group_of, len(texts))
    rest = np.flatnonzero(bad & (group_of < 0))
    if len(rest):
        texts += _printed(result, rest, group_of, len(texts))
    return Exceptions(texts, group_of)


def _exits(
    result: Result, exited: np.ndarray[Any, Any], group_of: np.ndarray[Any, Any]
) -> list[Text]:
    codes, of = np.unique(result.exit_code[exited], return_inverse=True)
    group_of[exited] = of
    return [("SystemExit", str(code), f"SystemExit: {code}\n") for code in codes.tolist()]


def _limited(limited: Limited) -> Text:
    name = "OutOfSteps" if limited.option == "max_steps" else "OutOfTime"
    return (name, limited.what, f"{name}: {limited.what}\n")


def _announced(
    device: Device, result: Result, fetcher: Fetcher, group_of: np.ndarray[Any, Any], base: int
) -> list[bytes]:
    assert result.values is not None
    kind = device.host(result.values.kind)
    chosen = np.flatnonzero(kind == int(device.built.value["ERROR"]))
    if not len(chosen):
        return []
    lengths = device.host(result.values.bits)
    sizes = lengths[chosen]
    rows = fetch_rows(device, chosen, lengths, fetcher)
    merged = group_rows(rows, device.array(sizes.astype(np.uint32)), device.operations)
    group_of[chosen] = base + merged.group_of
    texts = rows_here(device, rows, merged.example)
    sizes = sizes[merged.example]
    return [row.tobytes()[: int(size)] for row, size in zip(texts, sizes, strict=True)]


def _read(record: bytes) -> Text:
    """Return what the record of an exception says: its type's name, its message, its traceback.

    A record that is no tuple of three texts gives the type `Exception` and a message that says so.
    """
    found = value_of(record)
    if isinstance(found, tuple) and list(map(type, found)) == [str, str, str]:
        return found
    return ("Exception", f"an unreadable record: {found!r}"[:_SHOWN], "")


def _printed(
    result: Result, rest: np.ndarray[Any, Any], group_of: np.ndarray[Any, Any], base: int
) -> list[Text]:
    """Exceptions that had no room to be announced (a full heap): by what stderr holds."""
    printed = result.stderr.of(rest)
    merged = group_rows(printed.words, printed.lengths, printed.device.operations)
    group_of[rest] = base + merged.group_of
    return [parse_traceback(result.stderr[int(rest[i])]) for i in merged.example]


def parse_traceback(stderr: bytes) -> Text:
    """The last traceback in what an interpreter wrote to stderr, whose end may be cut off."""
    text = text_of(stderr)
    start = max(text.rfind("Traceback (most recent call last):\n"), 0)
    traceback = text[start:]
    # Below the frames: the type, a colon, and a message that may have lines of its own.
    lines = traceback.split("\n")
    skip = 1 if start or traceback.startswith("Traceback") else 0
    while skip < len(lines) and lines[skip].startswith("  "):
        skip += 1
    name, _, message = "\n".join(lines[skip:]).rstrip("\n").partition(": ")
    known = name.replace(".", "_").isidentifier()
    return (name if known else "Exception", message if known else "", traceback)
