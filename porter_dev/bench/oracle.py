"""Check the output of benchmark programs against CPython, which runs the same source.

Each benchmark has launch options and a check of its results, for the timing code in this package.
"""

from __future__ import annotations

import contextlib
import io
from functools import cache
from typing import Any, Protocol

import numpy as np
from attrs import define, field, frozen

from porter.errors import BenchFailed
from porter.run.device.base import Array, Device
from porter.run.result import Result
from porter.run.streams.groups import Stream
from porter_dev.bench.catalogue import Benchmark


@cache
def expected(benchmark: Benchmark) -> tuple[bytes, ...]:
    """Return CPython's output, with the report of the data, for threadIdx 0 to period - 1."""
    code = compile(benchmark.source, benchmark.file, "exec")
    setup = benchmark.setup_path.read_text() if benchmark.setup_path is not None else ""
    return tuple(_shown(code, setup, index, benchmark.period) for index in range(benchmark.period))


def _shown(code: Any, setup: str, index: int, total: int) -> bytes:
    names: dict[str, Any] = {"__name__": "__main__", "threadIdx": index, "numThreads": total}
    exec(setup, names)
    report = names.pop("report", lambda first, count: "")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    text: str = printed.getvalue() + report(index, 1)
    return text.encode()


def check_text(
    benchmark: Benchmark, output: bytes, first: int, count: int, repeat: int, who: str
) -> None:
    """Check that `output` is that of `count` interpreters from index `first`, `repeat` times.

    Args:
        benchmark: Program that ran.
        output: Output of one reference process.
        first: Index of the first interpreter.
        count: Number of interpreters.
        repeat: Repetitions.
        who: Name of the reference, for the error message.

    Raises:
        BenchFailed: The output differs.
    """
    texts = expected(benchmark)
    once = b"".join(texts[i % len(texts)] for i in range(first, first + count))
    if output != once * repeat:
        raise BenchFailed(f"{benchmark.name}: {who} printed something else: {output[:200]!r}")


def check_outputs(name: str, result: Result, device: Device, texts: tuple[bytes, ...]) -> None:
    """Raise BenchFailed unless all succeeded and row i printed texts[i % len(texts)]."""
    check_ended(name, result, device)
    bad = _differing(device, result.stdout, texts)
    if bad is not None:
        text = result.stdout[bad].decode("utf-8", "replace")
        raise BenchFailed(f"{name}: interpreter {bad} printed {text!r}, CPython does not")


def check_ended(what: str, result: Result, device: Device) -> None:
    """Raise BenchFailed unless every interpreter succeeded."""
    wrong = result.status != device.built.status["OK"]
    if not wrong.any():
        return
    first = int(wrong.argmax())
    text = result.stderr[first].decode("utf-8", "replace").strip()
    raise BenchFailed(
        f"{what}: {int(wrong.sum())} of {len(wrong)} interpreters failed; "
        f"{first} with status {result.status[first]}: {text}",
        hint="With a MemoryError, a larger --heap may do.",
    )


def _differing(device: Device, stream: Stream, texts: tuple[bytes, ...]) -> int | None:
    """Compare on the device; return the first row unlike texts[row % period], or None."""
    xp, n = device.xp, len(stream)
    columns = max(1, -(-max(map(len, texts)) // 8))
    if columns * 8 > stream.size:
        raise BenchFailed(f"--stdout: {stream.size} bytes do not hold {columns * 8}")
    rows = b"".join(text.ljust(columns * 8, b"\0") for text in texts)
    want = device.array(np.frombuffer(rows, np.uint64).reshape(len(texts), columns))
    lengths = device.array(np.array([len(text) for text in texts], np.uint32))
    which = xp.arange(n) % len(texts)
    bad = (stream.words[:, :columns] != want[which]).any(axis=1) | (
        stream.lengths != lengths[which]
    )
    if not bool(bad.any()):
        return None
    return int(bad.argmax())


ROWS = 256


class TimedSubject(Protocol):
    """A benchmark on one device: its launch options, data and result check."""

    def launch(self) -> dict[str, Any]:
        """Return the options of `Launch` that bind the benchmark's data."""

    def reset(self) -> None:
        """Restore the initial data; called before each launch that runs the program."""

    def check(self, result: Result) -> None:
        """Raise BenchFailed unless every interpreter succeeds with the right result."""


@frozen
class Printing:
    """A program without bound data that prints its result."""

    benchmark: Benchmark
    device: Device

    def launch(self) -> dict[str, Any]:
        """Return no options."""
        return {}

    def reset(self) -> None:
        """Do nothing: the program has no data."""

    def check(self, result: Result) -> None:
        """Compare the output of every interpreter with CPython's."""
        check_outputs(self.benchmark.name, result, self.device, expected(self.benchmark))


def cells(xp: Any, n: int) -> Array:
    """Return the matrix of Figure 8: ROWS x n float32 values.

    programs/figure8_setup.py computes the same matrix in Python.
    """
    rows = xp.arange(ROWS, dtype=np.int32)[:, None] + 1
    columns = xp.arange(n, dtype=np.int32)[None, :] % 32 + 1
    quarters: Array = (rows * columns % 37).astype(np.float32) / np.float32(4)
    return quarters


@define
class Summing:
    """Figure 8: interpreter i writes the sum of column i of `data` to row 0."""

    benchmark: Benchmark
    device: Device
    data: Array = field(repr=False)
    first: Array = field(repr=False)

    @classmethod
    def of(cls, benchmark: Benchmark, device: Device, n: int) -> Summing:
        """Return a subject whose matrix has `n` columns."""
        data = cells(device.xp, n)
        return cls(benchmark, device, data, data[0].copy())

    def launch(self) -> dict[str, Any]:
        """Bind the matrix to the name `data`, which the programs read."""
        return {"bind": {"data": self.data.reshape(-1)}}

    def reset(self) -> None:
        """Restore row 0, the only row that programs change."""
        self.data[0] = self.first

    def check(self, result: Result) -> None:
        """Check the sums in row 0 and that nothing was printed."""
        name = self.benchmark.name
        check_ended(name, result, self.device)
        check_outputs(name, result, self.device, (b"",))
        self.check_sums()

    def check_sums(self) -> None:
        """Raise BenchFailed unless row 0 holds the column sums."""
        sums = self.device.host(self.data[0])
        want = np.array([int(text) / 4 for text in expected(self.benchmark)], np.float32)
        bad = sums != np.resize(want, len(sums))
        if bad.any():
            column = int(bad.argmax())
            raise BenchFailed(
                f"{self.benchmark.name}: column {column} sums to {sums[column]}, "
                f"not {np.resize(want, len(sums))[column]}"
            )


def subject(benchmark: Benchmark, device: Device, n: int) -> TimedSubject:
    """Return the subject of `benchmark` for `n` interpreters."""
    if benchmark.setup is None:
        return Printing(benchmark, device)
    return Summing.of(benchmark, device, n)
