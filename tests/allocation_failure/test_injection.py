"""Failing allocations on a real build of the host twin."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import attrs
import numpy as np
import pytest
from attrs import field, frozen

from porter.base import paths
from porter.compiler.options import CompilerOptions
from porter.config import BuildConfig
from porter.conformance.backends.build_runner import TestCompiler
from porter.conformance.expected_output import find_cpython
from porter.conformance.skips import load
from porter.native.module import NativeModule
from porter.pipeline import build
from porter.run import Device, Launch, open_device, run
from porter.sync.lock import newest_release
from porter_dev.allocation_failure import subjects
from porter_dev.allocation_failure.injection import Effect, Injection
from porter_dev.allocation_failure.injection_campaign import inject_failures
from porter_dev.allocation_failure.injection_runner import (
    InjectionOpener,
    InjectionRunner,
    compiled_injections,
)

PROGRAMS = Path(__file__).parent / "programs"

PROGRAM = """\
x = []
for i in range(10):
    x.append(str(i) * 20)
print(len(x))
try:
    y = bytearray(100)
except MemoryError:
    print('caught')
"""


@pytest.fixture(scope="session")
def folder() -> Path:
    release = newest_release()
    if not (paths.upstream_dir() / release / "py").is_dir():
        pytest.skip(f"{release} is not synced")
    return build(BuildConfig(release=release, heap=64 * 1024, arena="global")).folder


@pytest.fixture
def device(folder: Path) -> Device:
    return open_device(folder, "host")


def test_the_count_is_of_this_program(device: Device) -> None:
    small, large = run(device, ["", PROGRAM], 2, program_of=np.array([0, 1])).allocations
    assert 0 < small < large


@pytest.mark.parametrize("rest", [False, True])
def test_each_allocation_fails(device: Device, rest: bool) -> None:
    made = int(run(device, [PROGRAM], 1).allocations[0])
    n = made + 2
    settings = Launch(fail_allocation=np.arange(n), fail_rest=rest)
    result = run(device, [PROGRAM], n, settings)
    assert set(result.status) == {
        device.built.constants["GPUSNEK_OK"],
        device.built.constants["GPUSNEK_EXCEPTION"],
    }
    # Each interpreter runs normally up to its failing allocation.
    assert (result.allocations[1:] >= np.minimum(np.arange(1, n), made)).all()
    assert result.stdout[0] == result.stdout[n - 1] == b"10\n"
    assert b"10\ncaught\n" in {result.stdout[i] for i in range(n)}
    for i in range(n):
        assert result.status[i] == 0 or b"MemoryError" in result.stderr[i] or rest


COMPILED = CompilerOptions()


@pytest.mark.parametrize(
    ("rest", "native"),
    [(False, None), (True, None), (False, COMPILED)],
    ids=["one", "rest", "compiled"],
)
def test_own_programs_survive_every_failure(
    folder: Path, rest: bool, native: CompilerOptions | None
) -> None:
    runner = InjectionRunner.open(
        InjectionOpener(folder, "host", 60.0, rest=rest, native=native), 512
    )
    results = inject_failures(subjects.folder(PROGRAMS), runner)
    assert not results.left and len(results.rows) >= 8
    assert not results.bad, results.bad[:3]
    assert results.total(Effect.MEMORY_ERROR) > 100


@pytest.mark.campaign("failing-allocations")
@pytest.mark.parametrize(
    ("native", "rows", "limit"),
    [(None, 100, 12), (COMPILED, 40, 6)],
    ids=["interpreted", "compiled"],
)
def test_upstream_programs_survive_some_failures(
    folder: Path, native: CompilerOptions | None, rows: int, limit: int
) -> None:
    """Run a part of `porter sweep`; docs/lab/robustness.md has the results of a whole sweep."""
    release = newest_release()
    root = paths.upstream_dir() / release / "tests"
    cpython = find_cpython(paths.build_dir() / "conformance" / "expected")
    wanted = subjects.upstream(root, ("basics", "float"), cpython, load("host"))
    runner = InjectionRunner.open(InjectionOpener(folder, "host", 60.0, native=native), 512)
    results = inject_failures(wanted, runner, limit=limit, most=rows + rows // 4)
    assert len(results.rows) >= rows  # the sweep leaves out some programs
    assert not results.bad, results.bad[:3]
    assert results.total(Effect.MEMORY_ERROR) > 2 * rows


def test_what_a_launch_of_machine_code_runs(folder: Path) -> None:
    """Each program runs its own native code, also beside a program with a syntax error."""
    made = TestCompiler.of(folder, "host", COMPILED)
    compiler = Counting(made.device, made.target, made.options)
    injections = compiled_injections(compiler, Launch())
    programs = [b"print(1)", b"print(", b"print(3)", b"x = [0] * 99\nprint(4)"]
    wanted = [Injection(f"{i % 4}.py", programs[i % 4]) for i in range(8)]
    endings = injections(wanted)
    assert [e.stdout for e in endings] == 2 * [b"1\n", b"", b"3\n", b"4\n"]
    assert b"SyntaxError" in endings[1].stderr and b"SyntaxError" in endings[5].stderr
    assert [len(codes) for codes in compiler.made] == [3]
    assert all(module is not None for modules in compiler.modules for module in modules)
    every = [attrs.evolve(wanted[3], fail=i + 1) for i in range(endings[3].allocations)]
    failed = [ending for ending in injections(every) if ending.stdout != b"4\n"]
    assert failed and all(b"MemoryError" in ending.stderr for ending in failed)


@frozen
class Counting(TestCompiler):
    """A compiler that records the programs that it compiles."""

    made: list[Sequence[bytes | None]] = field(factory=list)
    modules: list[list[NativeModule | None]] = field(factory=list)

    def machine(self, codes: Sequence[bytes | None]) -> tuple[Device, list[NativeModule | None]]:
        device, modules = super().machine(codes)
        self.made.append(codes)
        self.modules.append(modules)
        return device, modules
