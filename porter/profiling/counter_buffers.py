"""Parse the counter buffer of one interpreter (templates/runtime/profile.h) with numpy."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from attrs import field, frozen

from porter.base.untrusted import printable_text
from porter.run.built import Built

FRAME = "gpusnek_profile_frame_t"


@frozen
class Bytecode:
    """The bytecode of a function.

    Attributes:
        name: Name of the function.
        file: Source file.
        lines: By byte of the bytecode, its line number; uint32.
        first: Its first line with code.
    """

    name: str
    file: str
    lines: np.ndarray[Any, Any] = field(eq=False)
    first: int

    @property
    def key(self) -> tuple[str, str, int]:
        """The identity of the function."""
        return self.file, self.name, self.first


@frozen
class CallNode:
    """A node of the call tree: a function called along one path.

    Attributes:
        path: Functions of the path, outermost first, this one last.
        calls: Number of calls.
        counts: By byte of the bytecode, the executions of the instruction there.
        rows: By byte of the bytecode, the other counters.
    """

    path: tuple[Bytecode, ...]
    calls: int
    counts: np.ndarray[Any, Any]
    rows: np.ndarray[Any, Any]


@frozen(eq=False, slots=False)
class CounterBuffer:
    """The counter buffer of one interpreter."""

    built: Built
    bytes: np.ndarray[Any, Any]

    @cached_property
    def head(self) -> Any:
        """The gpusnek_profile_t at the start of the buffer."""
        return self._table("gpusnek_profile_t", 0, 1)[0]

    @property
    def began(self) -> bool:
        """Return whether the interpreter began to count."""
        return bool(self.head["size"])

    @cached_property
    def outside(self) -> Any:
        """The counters for time and allocations outside all lines."""
        return self._table("gpusnek_profile_row_t", self._size("gpusnek_profile_t"), 1)[0]

    @cached_property
    def codes(self) -> list[Bytecode | None]:
        """The functions by number; number 0 stands for none."""
        table = self._table("gpusnek_profile_code_t", self._codes_at, int(self.head["codes"]))
        return [None, *map(self._code, table[1:])]

    def nodes(self) -> Iterator[CallNode]:
        """Yield the nodes of the call tree, callers first."""
        paths: list[tuple[Bytecode, ...]] = [()]
        table = self._table("gpusnek_profile_node_t", self._nodes_at, int(self.head["nodes"]))
        for node in table[1:]:
            code = self.codes[node["code"]]
            assert code is not None
            paths.append((*paths[node["parent"]], code))
            size, at = len(code.lines), int(node["counts"])
            counts = self.bytes[at : at + 8 * size].view(np.uint64)
            rows = self._table("gpusnek_profile_row_t", int(node["rows"]), size)
            yield CallNode(paths[-1], int(node["calls"]), counts, rows)

    def _code(self, row: Any) -> Bytecode:
        at, size = int(row["lines"]), int(row["size"])
        lines = self.bytes[at : at + 4 * size].view(np.uint32)
        known = lines[lines > 0]
        first = int(known[0]) if len(known) else 0
        name = self._text(row["name"], row["name_size"])
        file = self._text(row["file"], row["file_size"])
        # Bytes before the instructions have no line.
        return Bytecode(name, file, np.where(lines > 0, lines, first), first)

    def _text(self, offset: Any, size: Any) -> str:
        return printable_text(self.bytes[int(offset) : int(offset) + int(size)].tobytes())

    @property
    def _nodes_at(self) -> int:
        frames = self.built.constants["GPUSNEK_PROFILE_DEPTH"] * self._size(FRAME)
        return self._size("gpusnek_profile_t") + self._size("gpusnek_profile_row_t") + frames

    @property
    def _codes_at(self) -> int:
        nodes = self.built.constants["GPUSNEK_PROFILE_NODES"]
        return self._nodes_at + nodes * self._size("gpusnek_profile_node_t")

    def _size(self, struct: str) -> int:
        return self.built.structs[struct].itemsize

    def _table(self, struct: str, at: int, count: int) -> np.ndarray[Any, Any]:
        dtype = self.built.structs[struct]
        return self.bytes[at : at + count * dtype.itemsize].view(dtype)
