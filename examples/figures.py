"""The paper's Figures 5a, 5b, 5c and 6 on many interpreters, each answer compared with CPython's.

    python examples/figures.py BUILD [-n 1048576] [--target cuda] [--picture beetle.png]

BUILD is the folder that `porter build` prints. The command runs every input of the transcripts
`figure*.repl`. The groups must equal those of CPython's interactive mode, interpreter by
interpreter; with 1,048,576 interpreters they must also equal the transcript. The exit status is
the number of inputs that differ. Without Pillow, --picture takes a name in .npy.
"""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from make_text import SIZE, text as play

from porter.fs import Image
from porter.fs.folder import image_of
from porter.repl import Session
from porter.repl.picture import pixels, save_png
from porter.repl.statements import Exchange, exchanges
from porter.run import Device, open_device
from porter.run.streams.display import render

FIGURES = ("figure5a", "figure5b", "figure5c", "figure6")
PAPER = 1 << 20  # interpreters in the paper
BOOK = "shakespeare.txt"
BLOCK = 4096  # bytes per block of the image


def book(n: int) -> str:
    """Return the start of the play that n interpreters read, 6 bytes each."""
    return play(min(SIZE, 6 * n))


def image(n: int) -> Image:
    """Return a file system image that contains the play."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, BOOK).write_text(book(n))
        return image_of(Path(folder), block_size=BLOCK)


class Pixels:
    """The object `outbuf` for CPython: truncates and clamps numbers to bytes."""

    def __init__(self, size: int) -> None:
        self.memory = np.zeros(size, np.uint8)

    def __setitem__(self, where: slice, values: list[float]) -> None:
        self.memory[where] = [max(0, min(255, int(value))) for value in values]


class Expected:
    """The expected output: CPython runs the inputs in place of n interpreters."""

    def __init__(self, n: int) -> None:
        self.outbuf = Pixels(3 * n)
        self._book = book(n)
        shared = {"numThreads": n, "outbuf": self.outbuf, "print": self._print, "open": self._open}
        self._globals = [{"threadIdx": index, **shared} for index in range(n)]
        self._said: list[str] = []

    def run(self, source: str) -> Counter[str]:
        """Return the number of interpreters for each output of `source`."""
        code = compile(source, "<stdin>", "single")
        counts: Counter[str] = Counter()
        hook, sys.displayhook = sys.displayhook, self._show
        try:
            for names in self._globals:
                self._said.clear()
                exec(code, names)
                counts["".join(self._said)] += 1
        finally:
            sys.displayhook = hook
        return counts

    def _print(self, *values: object) -> None:
        self._said.append(" ".join(map(str, values)) + "\n")

    def _show(self, value: object) -> None:
        if value is not None:
            self._said.append(f"{value!r}\n")

    def _open(self, name: str, mode: str) -> io.StringIO:
        assert (name, mode) == (BOOK, "r")
        return _Reader(self._book)


class _Reader:
    """An open file of the play that shares its text."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0

    def __enter__(self) -> _Reader:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def seek(self, at: int) -> int:
        self._at = at
        return at

    def read(self, size: int) -> str:
        return self._text[self._at : self._at + size]


def transcript(name: str) -> list[Exchange]:
    """Return the exchanges of a figure's transcript."""
    return list(exchanges((HERE / f"{name}.repl").read_text()))


def play_figure(name: str, session: Session, expected: Expected) -> list[str]:
    """Return the differences from CPython, and for n == PAPER from the figure's transcript."""
    problems = []
    for exchange in transcript(name):
        stream = session.execute(exchange.source).outputs[0]
        groups = {group.text.decode(): group.count for group in stream.groups}
        first = exchange.source.splitlines()[0]
        if groups != expected.run(exchange.source):
            problems.append(f"{name}: {first}: not as CPython: {list(groups.items())[:5]}")
        lines = b"".join(line.text for line in render(stream.groups, n=session.n)).decode()
        if session.n == PAPER and lines != exchange.printed:
            problems.append(f"{name}: {first}: not as the transcript: {lines[:500]}")
    return problems


def check(device: Device, n: int, name: str, picture: Path | None = None) -> list[str]:
    """Play figure `name` on n fresh interpreters; return the differences."""
    files = image(n) if name == "figure5c" else None
    session, expected = Session.open(device, n, files=files), Expected(n)
    problems = play_figure(name, session, expected)
    buffer = device.host(session.outbuf)
    if name == "figure6":
        wrong = int((buffer != expected.outbuf.memory).sum())
        if wrong or not buffer.any():
            problems.append(f"{name}: {wrong} bytes of the picture differ")
        if picture is not None:
            side = int(n**0.5)
            keep(pixels(buffer, side, side), picture)
    return problems


def keep(picture: np.ndarray, path: Path) -> None:
    """Write a picture: a PNG, or NumPy's format where Pillow is not installed."""
    if path.suffix == ".npy":
        np.save(path, picture)
    else:
        save_png(picture, path)


def main() -> int:
    """Run the command; return the number of inputs that differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("-n", type=int, default=PAPER)
    parser.add_argument("--target", default="cuda")
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    device = open_device(options.build, options.target)
    problems = []
    for name in FIGURES:
        found = check(device, options.n, name, options.picture)
        print(f"{name}: {options.n:,} interpreters, {len(found)} of its answers wrong")
        problems += found
    print(*problems, sep="\n", end="")
    return len(problems)


if __name__ == "__main__":
    sys.exit(main())
