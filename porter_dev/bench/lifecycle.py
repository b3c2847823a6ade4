"""Measure the costs of interpreters apart from programs: start, compile, REPL, memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from attrs import frozen

from porter.errors import BenchFailed
from porter.run import Program
from porter.run.device.snapshots import size_of
from porter.run.launch.options import Phase
from porter_dev.bench.catalogue import Benchmark
from porter_dev.bench.measurement import EMPTY, Figure, Setting, compiling
from porter_dev.bench.oracle import check_ended

LINE = Program(b"threadIdx % 3\n", "<stdin>")
CHECK = Program(b"assert words['7'] == [7] * 3\n", "<check>")
SMALL = Program(b"words = {}\nfor i in range(10):\n    words[str(i)] = [i] * 3\n", "<small>")


@frozen
class Cost:
    """The cost of one operation on all interpreters.

    Attributes:
        name: Name of the operation, one of NAMES.
        title: Row head in the report.
        device: Seconds on the device's clock.
        whole: Wall-clock seconds of the caller.
    """

    name: str
    title: str
    device: Figure
    whole: Figure


@frozen
class MemoryUse:
    """The memory of one persistent interpreter, in bytes.

    Attributes:
        image: Maximum size of its arena or snapshot between launches.
        streams: Size of its output streams during a launch.
        rest: Size of its trimmed snapshot between launches; None on a device without snapshots.
    """

    image: int
    streams: int
    rest: int | None = None


def start(setting: Setting) -> Cost:
    """Time booting interpreters that run an empty program and end with the launch."""
    return _cost("start", "start", setting, lambda: _ended("start", setting, EMPTY, False))


def fork(setting: Setting) -> Cost:
    """Time starting interpreters as copies of a booted one, if the device forks for this count."""
    return _cost("fork", "start, by fork", setting, lambda: _ended("fork", setting, EMPTY, None))


def start_and_compile(setting: Setting, benchmark: Benchmark) -> Cost:
    """Time booting interpreters that each compile the benchmark's source without running it."""
    program = compiling(benchmark)
    title = f"start, compile {benchmark.name}"
    return _cost("compile", title, setting, lambda: _ended("compile", setting, program, False))


def _ended(name: str, setting: Setting, program: Program, fork: bool | None) -> float:
    result = setting.run(program, fork=fork)
    check_ended(name, result, setting.device)
    return result.timings["device"]


def repl(setting: Setting) -> Cost:
    """Time a REPL line, `threadIdx % 3`, on running interpreters, up to the groups of answers."""
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
    """Measure the memory of an idle interpreter that has run SMALL."""
    need = setting.footprint
    arenas = setting.arenas()
    going_on = Phase(arenas=arenas, stop=False)
    check_ended("memory", setting.run(SMALL, going_on), setting.device)
    setting.device.trim(arenas)
    size = size_of(arenas)
    rest = None if size is None else size // setting.n
    # Trimming must keep the state: the interpreters still run.
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
    """Measure the costs with these names; `memory` has a function of its own. Raises BenchFailed.

    Args:
        setting: Device and options.
        names: Names out of NAMES.
        compiled: Benchmark that the cost "compile" compiles.
    """
    costs = {
        "start": start,
        "fork": fork,
        "compile": lambda setting: start_and_compile(setting, compiled),
        "repl": repl,
    }
    return [cost(setting) for name, cost in costs.items() if name in names]
