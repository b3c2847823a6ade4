"""Time thousands of different programs in one launch, from start to outputs.

The texts of every repetition are new, as in a search: they end in a comment with a unique number.
So no repetition benefits from code or snapshots that are cached from earlier launches.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import cache
from itertools import count as numbers
from pathlib import Path
from typing import Any

import numpy as np
from attrs import define, field, frozen

from porter.errors import BenchFailed
from porter.run import Program, run
from porter_dev.bench.catalogue import PROGRAMS
from porter_dev.bench.cpu_references import SAMPLE, Python, Reference, together
from porter_dev.bench.measurement import Figure, Setting, Whole
from porter_dev.bench.oracle import check_outputs
from porter_dev.candidates import CASES, programs

NAME = "candidates"
COUNT = 4096
SEED = 0
DRIVER = PROGRAMS / "many_driver.py"
_tries = numbers()


@frozen
class ManyPrograms:
    """The timings of the launch in both orders of programs, and of the references.

    Attributes:
        programs: Number of distinct programs.
        mixed: Neighbouring interpreters run different programs.
        ordered: Interpreters with the same program are neighbours.
        references: The references' seconds for the same work, by name. As in the launch, compiling
            each program once counts.
    """

    programs: int
    mixed: Whole
    ordered: Whole
    references: dict[str, Reference]

    def ratio(self, name: str, whole: Whole) -> float | None:
        """Return the reference's seconds over the launch's end-to-end seconds; None without one."""
        reference = self.references.get(name)
        if reference is None:
            return None
        return reference.figure.median / whole.end_to_end.median


@define
class Candidates:
    """Programs, with CPython's output for each of their cases."""

    texts: Sequence[str]
    _outputs: dict[tuple[int, int], bytes] = field(factory=dict, init=False, repr=False)
    _codes: dict[int, Any] = field(factory=dict, init=False, repr=False)

    def expected(self, program: int, index: int) -> bytes:
        """Return CPython's output of program number `program` for interpreter `index`."""
        case = (program, index % CASES)
        if case not in self._outputs:
            code = self._codes.get(program)
            if code is None:
                code = self._codes[program] = compile(self.texts[program], "<candidate>", "exec")
            printed: list[str] = []
            names = {"__name__": "__main__", "threadIdx": case[1]}
            exec(code, names | {"print": lambda value: printed.append(f"{value}\n")})
            self._outputs[case] = "".join(printed).encode()
        return self._outputs[case]


def mixed_order(n: int, count: int) -> np.ndarray[Any, Any]:
    """Return each interpreter's program out of `count`; neighbours run different ones."""
    return (np.arange(n) % count).astype(np.uint32)


def ordered(n: int, count: int) -> np.ndarray[Any, Any]:
    """Return each interpreter's program out of `count`; neighbours mostly run the same one."""
    return (np.arange(n) * count // n).astype(np.uint32)


@cache
def drawn(count: int, seed: int = SEED) -> Candidates:
    """Generate the first `count` programs of a seed."""
    return Candidates(programs(seed, count))


def measure(
    setting: Setting,
    pythons: Sequence[tuple[str, Python, int]],
    doing: Callable[[str], None] = lambda _: None,
    seed: int = SEED,
) -> ManyPrograms:
    """Time both orders and all references.

    Args:
        setting: Device and options.
        pythons: Name, interpreter and number of processes of each reference.
        doing: Called with a progress message before each measurement.
        seed: Seed of the programs.

    Raises:
        BenchFailed: A result is wrong.
    """
    candidates = drawn(min(COUNT, setting.n), seed)
    found = {}
    for order in (mixed_order, ordered):
        doing(f"{NAME}: {order.__name__}, {setting.n} interpreters")
        found[order] = launches(setting, candidates, order(setting.n, len(candidates.texts)))
    doing(f"{NAME}: references")
    references = {
        name: reference(python, candidates, setting.n, setting.repeat, processes)
        for name, python, processes in pythons
    }
    return ManyPrograms(len(candidates.texts), found[mixed_order], found[ordered], references)


def launches(setting: Setting, candidates: Candidates, program_of: np.ndarray[Any, Any]) -> Whole:
    """Time launches in which interpreter i runs program program_of[i]. Raises BenchFailed."""
    texts = tuple(candidates.expected(int(p), i) for i, p in enumerate(program_of))
    device, walls = [], []
    for _ in range(setting.repeat + 1):
        mark = f"# try {next(_tries)}\n"
        sources = [Program(text + mark, "<candidate>") for text in candidates.texts]
        begun = time.perf_counter()
        result = run(setting.device, sources, setting.n, setting.launch, program_of=program_of)
        walls.append(time.perf_counter() - begun)
        device.append(result.timings["device"])
        check_outputs(NAME, result, setting.device, texts)
    return Whole(Figure.of(device[1:]), Figure.of(walls[1:]))


def reference(
    python: Python, candidates: Candidates, n: int, repeat: int, processes: int
) -> Reference:
    """Time the work of `n` interpreters on `processes` cores, from a sample of the programs.

    The sample of each process is as many programs as take about SAMPLE seconds.

    Raises:
        ToolFailed: The reference interpreter fails.
        BenchFailed: Its output differs from CPython's.
    """
    count = len(candidates.texts)
    rows = ordered(n, count)
    indices: list[list[int]] = [[] for _ in candidates.texts]
    for i, program in enumerate(rows):
        indices[program].append(i)
    share = max(1, count // processes)
    each = min(16, share)
    while True:
        tried = _seconds(python, candidates, indices, [range(each)], 1)[0]
        if tried >= SAMPLE / 2 or each == share:
            break
        each = min(share, max(2 * each, int(each * SAMPLE / max(tried, 1e-6))))
    parts = [range(i * each % count, i * each % count + each) for i in range(processes)]
    seconds = _seconds(python, candidates, indices, parts, repeat)
    done = sum(len(indices[program % count]) for part in parts for program in part)
    return Reference(Figure.of(seconds).scaled(n / done), done, processes)


def _seconds(
    python: Python,
    candidates: Candidates,
    indices: Sequence[Sequence[int]],
    parts: Sequence[range],
    repeat: int,
) -> list[float]:
    """Return the seconds of each repetition. parts: program numbers of each process, modulo."""
    count, total = len(indices), sum(map(len, indices))
    with tempfile.TemporaryDirectory(prefix="porter-bench-") as folder:
        commands = []
        for number, part in enumerate(parts):
            listed = Path(folder, f"{number}.json")
            work = [(candidates.texts[p % count], indices[p % count]) for p in part]
            listed.write_text(json.dumps(work))
            commands.append([*python.command, str(DRIVER), str(listed), str(total), str(repeat)])
        seconds, outputs = together(commands, repeat)
    for part, output in zip(parts, outputs, strict=True):
        once = [candidates.expected(p % count, i) for p in part for i in indices[p % count]]
        if output != b"".join(once) * repeat:
            raise BenchFailed(f"{NAME}: {python.about} printed something else: {output[:200]!r}")
    return seconds
