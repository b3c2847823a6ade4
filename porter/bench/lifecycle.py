"""What interpreters cost beside the programs they run: starting, compiling, a REPL, memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from attrs import frozen

from porter.bench.catalogue import Benchmark
from porter.bench.figures import Figure
from porter.bench.measure import EMPTY, Setting, compiling
from porter.bench.oracle import check_ended
from porter.errors import BenchFailed
from porter.run import Program
from porter.run.device.images import size_of
from porter.run.launch.spec import Phase

LINE = Program(b"threadIdx % 3\n", "<stdin>")
CHECK = Program(b"assert words['7'] == [7] * 3\n", "<check>")
SMALL = Program(b"words = {}\nfor i in range(10):\n    words[str(i)] = [i] * 3\n", "<small>")


@frozen
class Cost:
    """One operation on all interpreters. device: on the device's clock; whole: for the caller."""

    name: str
    title: str
    device: Figure
    whole: Figure


@frozen
class MemoryUse:
    """Bytes that one interpreter takes which persists: its arena or image, and its streams.

    image: at most. The streams are a launch's. rest: what its image takes between launches, once
    trimmed; None where there are no images.
    """

    image: int
    streams: int
    rest: int | None = None


def start(setting: Setting) -> Cost:
    """Booting interpreters that do nothing and end with the launch."""
    return _cost("start", "start", setting, lambda: _ended("start", setting, EMPTY, False))


def fork(setting: Setting) -> Cost:
    """Booting copies of an interpreter that has booted, if the device forks that many."""
    return _cost("fork", "start, by fork", setting, lambda: _ended("fork", setting, EMPTY, None))


def start_and_compile(setting: Setting, benchmark: Benchmark) -> Cost:
    """Booting interpreters that each compile the benchmark's source without running it."""
    program = compiling(benchmark)
    title = f"start, compile {benchmark.name}"
    return _cost("compile", title, setting, lambda: _ended("compile", setting, program, False))


def _ended(name: str, setting: Setting, program: Program, fork: bool | None) -> float:
    result = setting.run(program, fork=fork)
    check_ended(name, result, setting.device)
    return result.timings["device"]


def repl(setting: Setting) -> Cost:
    """`threadIdx % 3` typed at interpreters that are there, to the groups of answers."""
    going_on = Phase(arenas=setting.arenas(), stop=False)
    check_ended("repl", setting.run(EMPTY, going_on), setting.device)
    n = setting.n
    answers = sorted((len(range(k, n, 3)), b"%d\n" % k) for k in range(min(3, n)))

    def once() -> float:
        result = setting.run(LINE, going_on, kind="single")
        groups = result.stdout.groups
        check_ended("repl", result, setting.device)
        if sorted((group.count, group.text) for group in groups) != answers:
            raise BenchFailed(f"repl: {len(groups)} groups, the first {groups[0].text!r}")
        return result.timings["device"]

    return _cost("repl", "REPL: threadIdx % 3", setting, once)


def memory(setting: Setting) -> MemoryUse:
    """What an idle interpreter takes which has run SMALL."""
    need = setting.footprint
    arenas = setting.arenas()
    going_on = Phase(arenas=arenas, stop=False)
    check_ended("memory", setting.run(SMALL, going_on), setting.device)
    setting.device.trim(arenas)
    size = size_of(arenas)
    rest = None if size is None else size // setting.n
    # They must be whole, and go on.
    check_ended("memory", setting.run(CHECK, going_on), setting.device)
    return MemoryUse(need.resting, need.streams, rest)


def _cost(name: str, title: str, setting: Setting, once: Callable[[], float]) -> Cost:
    device, whole = [], []
    for _ in range(setting.repeat + 1):
        begun = time.perf_counter()
        device.append(once())
        whole.append(time.perf_counter() - begun)
    return Cost(name, title, Figure.of(device[1:]), Figure.of(whole[1:]))


NAMES = ("start", "fork", "compile", "repl", "memory")


def measure(setting: Setting, names: Sequence[str], compiled: Benchmark) -> list[Cost]:
    """The costs with these names (of NAMES; memory is no time). Raises BenchFailed."""
    costs = {
        "start": start,
        "fork": fork,
        "compile": lambda setting: start_and_compile(setting, compiled),
        "repl": repl,
    }
    return [cost(setting) for name, cost in costs.items() if name in names]
