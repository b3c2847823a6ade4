"""The benchmark suite: a table of its programs."""

from __future__ import annotations

from pathlib import Path

from attrs import evolve, frozen

PROGRAMS = Path(__file__).parent / "programs"
LANES = 32  # lanes of a warp


@frozen
class Benchmark:
    """A program that every interpreter runs with its own `threadIdx`.

    Attributes:
        name: Short name.
        title: Description for reports.
        file: File name in `programs/`.
        period: The output depends on `threadIdx % period` only.
        kernel: Function of `kernels.h` that does the same work in C.
        double: Whether the output needs 64-bit floats.
        setup: Program that creates the shared data for reference interpreters.
        preamble: Source that precedes the file's text on an interpreter.
    """

    name: str
    title: str
    file: str
    period: int = 1
    kernel: str | None = None
    double: bool = False
    setup: str | None = None
    preamble: str = ""

    @property
    def path(self) -> Path:
        """Path of the source."""
        return PROGRAMS / self.file

    @property
    def setup_path(self) -> Path | None:
        """Path of the setup program, or None."""
        return PROGRAMS / self.setup if self.setup is not None else None

    @property
    def source(self) -> str:
        """The program's text, with its preamble."""
        return self.preamble + self.path.read_text()

    def with_equal_data(self) -> Benchmark | None:
        """Return the program with equal data for all lanes of a warp, or None.

        The set of all interpreters' data, hence the total work, stays the same. None if the data
        are memory that interpreters share.
        """
        if self.setup is not None:
            return None
        line = f"threadIdx //= {LANES}\n"
        return evolve(self, preamble=line, period=LANES * self.period)


MATRIX = "figure8_setup.py"
SUITE = (
    Benchmark(
        "figure8-module",
        "sum of matrix columns, module level",
        "figure8_module.py",
        period=32,
        kernel="figure8",
        setup=MATRIX,
    ),
    Benchmark(
        "figure8-function",
        "sum of matrix columns, in a function",
        "figure8_function.py",
        period=32,
        kernel="figure8",
        setup=MATRIX,
    ),
    Benchmark(
        "integers-module", "integers, module level", "integers_module.py", 64, kernel="integers"
    ),
    Benchmark(
        "integers-function", "integers, in a function", "integers_function.py", 64, "integers"
    ),
    Benchmark("mandelbrot", "Mandelbrot, floats", "mandelbrot.py", 64, "mandelbrot", double=True),
    Benchmark("queens", "n queens, recursion", "queens.py", 2),
    Benchmark("strings", "strings, counting in a dict", "strings.py", 4),
    Benchmark("objects", "classes, attributes", "objects.py", 8),
    Benchmark("sorting", "sorting", "sorting.py", 8),
    Benchmark("exceptions", "exceptions in a loop", "exceptions.py", 4),
    Benchmark("lists", "lists, more than the heap", "lists.py", 4),
    Benchmark("divergent", "a path for each interpreter", "divergent.py", 96, double=True),
    Benchmark("automaton", "cellular automaton on a set of tuples", "automaton.py", 64),
    Benchmark("graph", "breadth-first search and Dijkstra", "graph.py", 64),
    Benchmark("distance", "edit distance, dynamic programming", "distance.py", 64),
    Benchmark("expressions", "a parser and evaluator of expressions", "expressions.py", 64),
    Benchmark("records", "JSON read, changed and written", "records.py", 64),
    Benchmark("words", "words counted, sorted by count", "words.py", 64),
    Benchmark("simulation", "events in a heap queue", "simulation.py", 64),
    Benchmark("cache", "LRU cache, a dict and a linked list", "cache.py", 64),
    Benchmark("matrix", "matrix product and inverse, lists", "matrix.py", 64, double=True),
    Benchmark("modular", "powers modulo 127-bit integers", "modular.py", 64),
    Benchmark("logs", "regular expressions on log lines", "logs.py", 64),
    Benchmark("puzzle", "backtracking on a 4 x 4 board", "puzzle.py", 64),
)
