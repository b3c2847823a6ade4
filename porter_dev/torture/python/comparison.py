"""Compare generated programs: interpreted, as native code in several modes, and in CPython."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from attrs import evolve, field, frozen

from porter.compiler.options import CompilerOptions
from porter.conformance.backends.isolated_process import Isolated
from porter.errors import BuildFailed
from porter.native.batch import QUICK, Translation, build_batch, translate
from porter.native.code import CodeOfEach, compile_each
from porter.native.host import HostTarget
from porter.rewrite.poll_sites import NESTED
from porter.run import Device, Launch, Program, open_device, run
from porter.run.device.host import HostTwin
from porter.run.launch.options import Phase
from porter_dev.torture.python import cpython
from porter_dev.torture.python.program import PythonProgram


@frozen
class TierMode:
    """A way to run a program: options of the native compiler and of the launch.

    Attributes:
        name: Name of the mode.
        options: Options of the compiler.
        loops: Whether only the loops of module code are compiled.
        hints: Type feedback for the compiler: "" none, "seen" that of a profiling run, "any"
            random values.
        launch: Options of Launch.
        exact: Whether output, traceback and steps must equal the interpreter's.
        failing: Number of the first allocation that fails; 0: none.
        flags: Flags of g++; None for those of the fastest compilation.
    """

    name: str
    options: CompilerOptions = field(factory=CompilerOptions)
    loops: bool = False
    hints: str = ""
    launch: Mapping[str, Any] = field(factory=dict)
    exact: bool = True
    failing: int = 0
    flags: tuple[str, ...] | None = None


MODES = {
    mode.name: mode
    for mode in (
        TierMode("usual", loops=True),
        TierMode("all"),
        TierMode("seen", hints="seen"),
        TierMode("misled", hints="any"),
        TierMode("guards", CompilerOptions(force="guards")),
        TierMode("third", CompilerOptions(force=3)),
        TierMode("kernels", CompilerOptions(enter="apart"), loops=True, hints="seen"),
        TierMode("apart", CompilerOptions(enter="apart")),
        TierMode("apart7", CompilerOptions(enter="apart", force=7), hints="any"),
        TierMode("everywhere", CompilerOptions(enter="everywhere")),
        TierMode("everywhere5", CompilerOptions(enter="everywhere", force=5), hints="any"),
        TierMode("optimised", loops=True, hints="seen", flags=("-w",)),
        TierMode("gc", launch={"gc_stress": True}),
        TierMode("memory", exact=False, failing=400),
    )
}


SECONDS = 20.0  # time limit of a launch
DEADLINE = 900.0  # seconds for a whole batch, most of them for g++
_LAUNCH = Launch(
    heap=256 << 10, pystack=64 << 10, stack=128 << 10, stdout=64 << 10, stderr=64 << 10, block=1,
    max_steps=3_000_000, timeout=SECONDS,
)  # fmt: skip
NAME = "program.py"  # file name in tracebacks


@frozen
class Ran:
    """The outputs and exit state of a program in one mode."""

    stdout: bytes
    stderr: bytes
    status: str
    steps: int


@frozen
class Examined:
    """The runs of one program in all modes.

    Attributes:
        plain: The interpreter's run.
        modes: Runs of native code, by mode.
        problem: Why there is no complete set of runs; "" if there is one.
    """

    plain: Ran | None = None
    modes: Mapping[str, Ran] = {}
    problem: str = ""


@frozen
class Difference:
    """A difference between runs.

    Attributes:
        mode: Mode that differs; also "cpython", "crash" or "translator".
        detail: Expected and actual value.
    """

    mode: str
    detail: str


@frozen
class Examiner:
    """A picklable function that opens the build in `folder`, in the isolated process."""

    folder: Path
    modes: tuple[str, ...]

    def __call__(self) -> RunInModes:
        """Open the build and return the function that runs a batch."""
        device = open_device(self.folder, "host", threads=1)
        assert isinstance(device, HostTwin)
        return RunInModes(device, HostTarget.of(device), tuple(MODES[name] for name in self.modes))


@frozen
class RunInModes:
    """The modes of an open build; a call runs sources in all of them."""

    device: Device
    target: HostTarget
    modes: tuple[TierMode, ...]

    def __call__(self, sources: Sequence[str]) -> list[Examined]:
        """Compile and run each source in all modes."""
        programs = [Program(source, NAME) for source in sources]
        codes, outcome = compile_each(self.device, _LAUNCH, programs)
        done: list[Examined | None] = [
            Examined(problem=f"does not compile: {outcome.stderr[i]!r}") if code is None else None
            for i, code in enumerate(codes)
        ]
        some = [i for i, code in enumerate(codes) if code is not None]
        chosen = [code for code in codes if code is not None]
        for i, one in zip(some, self._each(chosen), strict=True):
            done[i] = one
        return [one or Examined() for one in done]

    def _each(self, codes: Sequence[bytes]) -> list[Examined]:
        if not codes:
            return []
        each = CodeOfEach.of(self.device, codes)
        plain = self._ran(each.phase(), _LAUNCH, len(codes))
        modes: list[dict[str, Ran]] = [{} for _ in codes]
        problems = [""] * len(codes)
        for mode in self.modes:
            hints = self._hints(mode, each)
            made = [
                self._translated(mode, code, i, hints[i], problems) for i, code in enumerate(codes)
            ]
            launch = evolve(_LAUNCH, **mode.launch)
            if mode.failing:
                numbers = mode.failing + 37 * np.arange(len(codes)) % 1500
                launch = evolve(launch, fail_allocation=numbers)
            with TemporaryDirectory(prefix="porter-torture-") as folder:
                flags = QUICK if mode.flags is None else mode.flags
                modules = build_batch(self.target, made, Path(folder), flags=flags)
            for i, ran in enumerate(self._ran(each.phase(modules), launch, len(codes))):
                modes[i][mode.name] = ran
        return [Examined(*each) for each in zip(plain, modes, problems, strict=True)]

    def _hints(self, mode: TierMode, each: CodeOfEach) -> list[bytes]:
        sizes = np.diff(each.parts).tolist()
        if not mode.hints:
            return [b""] * len(sizes)
        if mode.hints == "any":
            return [bytes(Random(i).choices(range(16), k=size)) for i, size in enumerate(sizes)]
        phase, noted = each.noting()
        self._ran(phase, _LAUNCH, len(sizes))
        return [self.device.host(seen).tobytes() for seen in noted]

    def _translated(
        self, mode: TierMode, code: bytes, i: int, hints: bytes, problems: list[str]
    ) -> Translation | None:
        options = evolve(mode.options, hints=hints)
        try:
            return translate(self.target, code, i, loops=mode.loops, options=options)
        except Exception as error:  # any exception of the translator is a finding
            problems[i] = problems[i] or f"{mode.name}: the translator raises {error!r}"
            return None

    def _ran(self, phase: Phase, launch: Launch, n: int) -> list[Ran]:
        result = run(self.device, [], n, launch, phase, program_of=np.arange(n, dtype=np.uint32))
        statuses = self.device.built.status
        return [
            Ran(
                bytes(result.stdout[i]), bytes(result.stderr[i]),
                statuses(int(result.status[i])).name, int(result.steps[i]),
            )
            for i in range(n)
        ]  # fmt: skip


Session = Isolated[str, Examined]


def session(folder: Path, modes: Sequence[str]) -> Session:
    """Start a process that examines programs. The caller must close it."""
    return Isolated(
        Examiner(folder, tuple(modes)),
        DEADLINE,
        lambda died: Examined(problem=f"crash: {died.note}"),
    )


def examine(programs: Sequence[PythonProgram], with_: Session) -> list[Difference | None]:
    """Return the first difference of each program, or None."""
    sources = [program.source for program in programs]
    expected = cpython.outputs(sources)
    return [
        difference(one, output)
        for one, output in zip(_examined(sources, with_), expected, strict=True)
    ]


def _examined(sources: Sequence[str], with_: Session) -> list[Examined]:
    """Run a batch; if its C++ does not compile, bisect it to find the program at fault."""
    try:
        return with_.run(sources)
    except BuildFailed as error:
        if len(sources) == 1:
            return [Examined(problem=f"translator: {error.message}")]
        middle = len(sources) // 2
        return _examined(sources[:middle], with_) + _examined(sources[middle:], with_)


def difference(one: Examined, expected: str | None) -> Difference | None:
    """Return the first difference between runs. expected: CPython's output; None: it timed out."""
    if one.problem:
        return Difference(one.problem.partition(":")[0], one.problem)
    assert one.plain is not None
    for name, ran in one.modes.items():
        if detail := _unlike(one.plain, ran, MODES[name].exact):
            return Difference(name, detail)
    if one.plain.status not in ("OK", "EXCEPTION") or expected is None:
        return Difference("cpython", f"ends with {one.plain.status}, CPython prints {expected!r}")
    if one.plain.stdout.decode("utf-8", "replace") != expected:
        return Difference("cpython", _first(expected.encode(), one.plain.stdout))
    return None


def _unlike(plain: Ran, ran: Ran, exact: bool) -> str:
    if not exact:
        return "" if ran.status in ("OK", "EXCEPTION", "EXIT") else f"status {ran.status}"
    for what in ("status", "stdout", "stderr"):
        a, b = getattr(plain, what), getattr(ran, what)
        if a != b:
            return f"{what}: {_first(a, b) if isinstance(a, bytes) else f'{a}, not {b}'}"
    # Native code saves turns of upstream's loops when an exception leaves a call of a closure, a
    # class or an operator (docs/explanation/compiler.md).
    spared = plain.steps - ran.steps
    return f"steps: {plain.steps}, not {ran.steps}" if spared < 0 or spared % NESTED else ""


def _first(a: bytes, b: bytes) -> str:
    """Return the first line that differs: expected and actual."""
    ours, theirs = a.split(b"\n"), b.split(b"\n")
    for number, (x, y) in enumerate(zip(ours, theirs, strict=False), 1):
        if x != y:
            shown = (line.decode("utf-8", "replace") for line in (x, y))
            return f"line {number}: {', not '.join(map(repr, shown))}"
    return f"{len(ours)} lines, not {len(theirs)}"
