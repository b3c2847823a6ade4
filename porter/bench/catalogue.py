"""The suite's programs, as data."""

from __future__ import annotations

from pathlib import Path

from attrs import frozen

PROGRAMS = Path(__file__).parent / "programs"


@frozen
class Benchmark:
    """One program that every interpreter runs with its own `threadIdx`.

    file: its name in `programs/`. period: what it prints depends on `threadIdx % period`. kernel:
    the function of `kernels.h` that does the same work in C. double: its output needs floats of
    64 bits. setup: a program that makes the data which interpreters share, for other Pythons.
    """

    name: str
    title: str
    file: str
    period: int = 1
    kernel: str | None = None
    double: bool = False
    setup: str | None = None

    @property
    def path(self) -> Path:
        """Where the source is."""
        return PROGRAMS / self.file

    @property
    def setup_path(self) -> Path | None:
        """Where the setup is."""
        return PROGRAMS / self.setup if self.setup is not None else None

    @property
    def source(self) -> str:
        """The program's text."""
        return self.path.read_text()


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
)
