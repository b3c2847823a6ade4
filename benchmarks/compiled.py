"""Measure the speedup of native code: interpreted, compiled, C by hand, CPython, Numba.

    python benchmarks/compiled.py [--target host] [--build FOLDER] [--only NAME] [--json FILE]

Each row is a program of benchmarks/compiled_programs.py. On the host twin, one interpreter runs on
one core, and the seconds are processor time, which other load hardly affects. On a GPU, many
interpreters run, and the seconds are those of launches. All implementations do the same work and
must return the same result. The time of a launch of an empty program is subtracted from the times
of interpreters.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import platform
import secrets
import shlex
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from attrs import asdict, field, frozen
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.compiled_programs import COLUMNS, PROGRAMS, ROWS, SIDE, BenchProgram
from benchmarks.compiled_references import CudaC, HostC, NumbaCuda, Reference
from porter import InterpreterArray
from porter.array import Code
from porter.base.files import write_whole
from porter.base.sizes import parse_size
from porter.errors import MissingPackage, PorterError, UsageError
from porter.native import open_compiled
from porter.run import Device, Launch, open_device
from porter_dev.bench.measurement import Figure
from porter_dev.bench.suite import device_name

COUNTS = {"host": 1, "cuda": 1 << 18}
GPU_HEAP = parse_size("96K")
WHOLE = 0.1  # minimum seconds of a repetition of a reference, for stable figures
SLOWER = 1.05  # ratio from which on compiled code counts as slower


@frozen
class BenchRow:
    """The seconds of one program's work for all interpreters.

    None stands for a missing measurement; `notes` give the reason.

    Attributes:
        name: Program.
        tuned: As in BenchProgram.
        interpreted: Bytecode.
        compiled: Native code.
        cpython: CPython.
        c: C by hand.
        numba: Numba.
        compile_cold: Seconds to compile to native code and load it.
        compile_cached: Seconds to load the native code from the cache.
        notes: Reasons for missing measurements.
    """

    name: str
    tuned: bool
    interpreted: Figure
    compiled: Figure | None
    cpython: Figure
    c: Figure | None = None
    numba: Figure | None = None
    compile_cold: float | None = None
    compile_cached: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def gain(self) -> float | None:
        """Speedup of compiled over interpreted code."""
        return None if self.compiled is None else self.interpreted.least / self.compiled.least


@frozen
class Side:
    """Code with the interpreters that run it; `empty` is an empty program for the same ones."""

    array: InterpreterArray
    code: Code
    empty: Code


@frozen
class Compiling:
    """Native code, and the seconds until it was loaded: compiled, and from the cache."""

    side: Side
    cold: float
    cached: float


@frozen
class Bench:
    """The benchmark on the interpreters of `array`; measures one program at a time."""

    array: InterpreterArray
    repeat: int
    references: tuple[Reference, ...]
    empty: Code = field(repr=False)
    compiler: Device | None = None  # on a GPU: the host twin for compiling and profiling runs

    @property
    def n(self) -> int:
        return self.array.n

    def work(self, program: BenchProgram) -> int:
        """Return WORK of each interpreter."""
        return program.gpu if self.array.device.on_gpu else program.host

    def data(self, program: BenchProgram) -> np.ndarray[Any, Any] | None:
        """Return the program's bound data as a flat array; None if it has none."""
        if not program.bound:
            return None
        if program.bound == COLUMNS:
            return (np.arange(ROWS * self.n) % 7).astype(np.float32)
        cells = np.arange(3 * SIDE * SIDE) % 11 * 0.5
        return np.tile(cells, self.n)

    def row(self, program: BenchProgram) -> BenchRow:
        """Measure one program. Raises SystemExit if implementations disagree on its result."""
        source = f"WORK = {self.work(program)}; fresh = {secrets.token_hex(8)!r}\n{program.source}"
        notes: list[str] = []
        self._bind(program, self.array)  # a profiling run needs the data
        name = f"{program.name}.py"
        sides = [Side(self.array, self.array.compile(source, name), self.empty)]
        compiling = None
        with contextlib.ExitStack() as stack:
            try:
                on_gpu = self.array.device.on_gpu
                make = partial(self._open_gpu, program) if on_gpu else self._compile
                compiling = make(source, name, stack)
                sides.append(compiling.side)
            except (UsageError, MissingPackage) as error:
                notes.append(error.message)
            figures, texts = self._launches(program, sides)
        cpython, expected = self._cpython(program)
        for text in texts:
            self._same(program, text, expected)
        found: dict[str, Figure] = {}
        for reference in self.references:
            if reference.can(program):
                found[reference.column], result = self._reference(reference, program)
                self._same(program, result, expected)
        return BenchRow(
            program.name,
            program.tuned,
            figures[0],
            figures[1] if compiling else None,
            cpython,
            found.get("c"),
            found.get("numba"),
            compiling.cold if compiling else None,
            compiling.cached if compiling else None,
            tuple(notes),
        )

    def _compile(self, source: str, name: str, stack: contextlib.ExitStack) -> Compiling:
        seconds = []
        for _ in range(2):
            start = time.perf_counter()
            code = self.array.compile(source, name, native=True)
            seconds.append(time.perf_counter() - start)
        return Compiling(Side(self.array, code, self.empty), *seconds)

    def _open_gpu(
        self, program: BenchProgram, source: str, name: str, stack: contextlib.ExitStack
    ) -> Compiling:
        """Open a GPU with the program's native code in its kernels, twice."""
        sizes, seconds, data = Launch(heap=GPU_HEAP), [], self.data(program)
        bound = {} if data is None else {"data": data[: program.own or None]}
        for _ in range(2):
            start = time.perf_counter()
            device = open_compiled(
                self.array.device.built, [source], name=name, launch=sizes,
                compiler=self.compiler, n=self.n, bound=bound,
            )  # fmt: skip
            seconds.append(time.perf_counter() - start)
            stack.callback(device.close)
        array = stack.enter_context(InterpreterArray(self.n, device=device, heap=GPU_HEAP))
        code = array.compile(source, name, native=True)
        return Compiling(Side(array, code, array.compile("")), *seconds)

    def _launches(
        self, program: BenchProgram, sides: list[Side]
    ) -> tuple[list[Figure], list[dict[int, int]]]:
        """Time all sides in turn, so that other load on the machine affects them alike."""
        seconds: list[list[float]] = [[] for _ in sides]
        texts: list[dict[int, int]] = [{} for _ in sides]
        for _ in range(self.repeat + 1):
            for at, side in enumerate(sides):
                self._bind(program, side.array)
                nothing, _ = self._launch(side.array, side.empty)
                took, stdout = self._launch(side.array, side.code)
                seconds[at].append(max(took - nothing, 1e-9))
                texts[at] = {i: int(stdout[i]) for i in {0, self.n - 1}}
        return [Figure.of(each[1:]) for each in seconds], texts

    def _bind(self, program: BenchProgram, array: InterpreterArray) -> None:
        data = self.data(program)
        if data is None:
            return
        if program.bound == COLUMNS:
            array.bind("data", array.device.array(data))
        else:
            array.bind("data", array.device.array(data.reshape(self.n, -1)), split=True)

    def _launch(self, array: InterpreterArray, code: Code) -> tuple[float, Any]:
        start = time.process_time()
        outcome = array.exec(code)
        took = time.process_time() - start
        return (outcome.seconds if array.device.on_gpu else took), outcome.stdout

    def _cpython(self, program: BenchProgram) -> tuple[Figure, dict[int, int]]:
        """Return the seconds for all interpreters' work, scaled from a sample of two."""
        data, code = self.data(program), compile(program.source, program.name, "exec")
        results, seconds, indices = {}, [], sorted({0, self.n - 1})
        for _ in range(self.repeat):
            took = 0.0
            for i in indices:
                names: dict[str, Any] = {"WORK": self.work(program), "threadIdx": i}
                names |= {"numThreads": self.n, "__name__": "__main__"}
                if data is not None:
                    own = data if program.bound == COLUMNS else data.reshape(self.n, -1)[i]
                    names["data"] = memoryview(own.copy().data)
                printed = io.StringIO()
                start = time.process_time()
                with contextlib.redirect_stdout(printed):
                    exec(code, names)
                took += time.process_time() - start
                results[i] = int(printed.getvalue())
            seconds.append(took * self.n / len(indices))
        return Figure.of(seconds), results

    def _reference(self, reference: Reference, program: BenchProgram) -> tuple[Figure, Any]:
        run = reference.prepare(program, self.work(program), self.n, self.data(program))
        once = run(1)  # warm-up
        turns = max(1, int(WHOLE / max(run(1), 1e-6)) + 1)
        figure = Figure.of(run(turns) / turns for _ in range(self.repeat))
        assert once >= 0
        return figure, {i: reference.result(i) for i in {0, self.n - 1}}

    def _same(self, program: BenchProgram, found: dict[int, int], expected: dict[int, int]) -> None:
        if found != expected:
            raise SystemExit(f"{program.name}: {found} where CPython has {expected}")


def report(rows: list[BenchRow], about: dict[str, Any], console: Console) -> None:
    """Print the table, and the programs that are slower compiled."""
    console.print(
        f"{about['n']} interpreters, {about['device']}, release {about['release']}", style="bold"
    )
    table = Table(box=SIMPLE, pad_edge=False)
    table.add_column("program", no_wrap=True)
    names = ("C", "interpreted", "compiled", "CPython", "Numba", "int / C", "comp / C")
    for name in (*names, "int / comp", "CPython / comp", "cold s", "cached s"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        ran = row.compiled
        table.add_row(
            row.name if row.tuned else f"{row.name} *",
            *map(_milliseconds, (row.c, row.interpreted, ran, row.cpython, row.numba)),
            *(_ratio(one, row.c) for one in (row.interpreted, ran)),
            _ratio(row.interpreted, ran),
            _ratio(row.cpython, ran),
            *("" if s is None else f"{s:.3f}" for s in (row.compile_cold, row.compile_cached)),
        )
    console.print(table)
    console.print("ms; least of the runs. *: written before the tier was measured with it")
    console.print(slower_line(rows))
    for name, spread in sorted(_spreads(rows).items()):
        console.print(f"{name} repeats within {100 * spread:.1f} % (median of the programs)")
    for note in sorted({note for row in rows for note in row.notes}):
        console.print(f"not compiled: {note}")


def slower_line(rows: list[BenchRow]) -> str:
    """Name the programs that native code slows down by more than 5 %."""
    slower = [f"{r.name} ({1 / r.gain:.2f} x)" for r in rows if r.gain and r.gain < 1 / SLOWER]
    if not any(row.gain for row in rows):
        return "slower than interpreted by more than 5 %: nothing was compiled"
    return "slower than interpreted by more than 5 %: " + (", ".join(slower) or "none")


def _spreads(rows: list[BenchRow]) -> dict[str, float]:
    """Return the median distance between minimum and median in each column."""
    found: dict[str, list[float]] = {}
    for row in rows:
        for name in ("interpreted", "compiled", "cpython", "c", "numba"):
            figure = getattr(row, name)
            if figure is not None:
                found.setdefault(name, []).append(figure.median / figure.least - 1)
    return {name: float(np.median(spreads)) for name, spreads in found.items()}


def _milliseconds(figure: Figure | None) -> str:
    return "" if figure is None else f"{1e3 * figure.least:.3g}"


def _ratio(over: Figure | None, under: Figure | None) -> str:
    return "" if over is None or under is None else f"{over.least / under.least:.3g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--target", choices=("host", "cuda"))
    parser.add_argument("--build", type=Path, help="a finished build; without it one is made")
    parser.add_argument("--release")
    parser.add_argument("-n", type=int, help="interpreters [1 on the host twin, 262144 on a GPU]")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--only", action="append", default=[], help="programs that start so")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    chosen = [p for p in PROGRAMS if not args.only or p.name.startswith(tuple(args.only))]
    if not chosen or args.repeat < 1:
        parser.error("there is nothing to measure")
    where = {"target": args.target, "build": args.build, "release": args.release}
    console = Console(width=140 if not sys.stdout.isatty() else None, highlight=False)
    with InterpreterArray(1, **where) as one:  # its device determines the default count
        device = one.device
        n = args.n or COUNTS["cuda" if device.on_gpu else "host"]
        twin = "host" in device.built.whole.targets
        compiler = open_device(device.built, "host") if device.on_gpu and twin else None
        heap = GPU_HEAP if device.on_gpu else parse_size("256K")
        with InterpreterArray(n, device=device, heap=heap) as array:
            kinds: tuple[Callable[[Any], Reference], ...] = (
                (CudaC, NumbaCuda) if device.on_gpu else (HostC,)
            )
            references = tuple(k(device) for k in kinds)
            bench = Bench(array, args.repeat, references, array.compile(""), compiler)
            rows, failed = [], []
            for program in chosen:
                print(program.name, file=sys.stderr)
                try:
                    rows.append(bench.row(program))
                except PorterError as error:  # keep the figures of the other programs
                    failed.append(program.name)
                    print(f"{error.message}\n{error.hint or ''}".strip(), file=sys.stderr)
            about = {
                "command": shlex.join(["python", *sys.argv]),
                "n": n,
                "device": device_name(device),
                "release": device.built.manifest["release"],
                "machine": platform.processor() or platform.machine(),
                "python": platform.python_version(),
                "repeat": args.repeat,
                "date": time.strftime("%Y-%m-%d"),
            }
    report(rows, about, console)
    if args.json:
        document = {"about": about, "programs": [asdict(row) for row in rows]}
        write_whole(args.json, json.dumps(document, indent=1) + "\n", parents=True)
    if failed:
        raise SystemExit(f"not measured: {', '.join(failed)}")


if __name__ == "__main__":
    try:
        main()
    except PorterError as error:
        raise SystemExit(f"{error.message}\n{error.hint or ''}".strip()) from error
