"""The regression guard: no program takes more instructions than stored, no kernel more registers.

After a change that justifies its cost, run `python -m porter_dev.bench.guard BUILD
tests/bench/baseline.toml --store`, and give the reason in docs/lab/performance.md.
"""

from __future__ import annotations

import os
import re
import shutil
import struct
import warnings
from pathlib import Path

import pytest

from porter.compile.cubin_checks import barriers
from porter.compile.object_files import functions
from porter.config import BuildConfig
from porter.errors import NoNvcc, UsageError
from porter.pipeline import Build, build
from porter.run.built import Built, open_build
from porter.toolchain import nvcc
from porter_dev.bench import guard
from porter_dev.bench.callgrind import count
from porter_dev.bench.catalogue import Benchmark

BASELINE = Path(__file__).parent / "baseline.toml"

needs_valgrind = pytest.mark.skipif(shutil.which("valgrind") is None, reason="no valgrind")


def check(table: str, counts: dict[str, int]) -> None:
    stored = guard.load(BASELINE).get(table)
    if stored is None:
        pytest.skip(f"no baseline for {table}; porter_dev.bench.guard --store makes one")
    known = {name: n for name, n in counts.items() if name in stored}
    worse = guard.compare(stored, known)
    assert not worse, "\n".join(worse)
    if better := guard.compare(known, {name: stored[name] for name in known}):
        warnings.warn(f"{table}: better than stored, store it: {better}", stacklevel=1)
    if missing := sorted(counts.keys() - known):
        pytest.skip(
            f"{table} lacks {', '.join(missing)}; porter_dev.bench.guard --store counts them"
        )


@pytest.mark.campaign("benchmarks")
@needs_valgrind
def test_instructions(built: Build) -> None:
    host = open_build(built.folder)
    check(guard.host_table(host), guard.instructions(host))


@pytest.mark.campaign("device-build")
def test_device_resources(built: Build) -> None:
    device = device_build(built)
    check(guard.device_table(device), guard.resources(device))


@pytest.mark.campaign("device-build")
def test_lanes_can_meet_again_in_every_function_that_parts_them(built: Build) -> None:
    cubin = device_build(built).folder / "cuda/gpusnek.cubin"
    counts = barriers(cubin)
    assert sum(found.regions > 0 for found in counts.values()) > 500
    assert not {n for n, found in counts.items() if found.branches > 8 and not found.regions}


# Functions that wait for the host or other interpreters, or yield to them (docs/lab/compiled.md).
YIELDS = re.compile(
    r"porter_(atomic|cas64|load64|meet|native_join|give_turn)$|wait_for_host"
    r"|take_slot|ready_guard|gpusnek_(guard_\w+|input_\w+|rows_find)$|snapshot_store"
)


@pytest.mark.campaign("device-build")
def test_lanes_stay_where_they_wait_in_every_function_that_need_not_yield(built: Build) -> None:
    device = device_build(built)
    counts = barriers(device.folder / "cuda/gpusnek.cubin")
    assert counts["porter_atomic"].yields > 0
    assert not {n for n, found in counts.items() if found.yields and not YIELDS.search(n)}


BSSY, BSYNC, RESTORE, NANOSLEEP = 0x945, 0x941, 0x356, 0x35D


@pytest.mark.campaign("device-build")
def test_a_lane_that_lets_others_go_is_named_in_no_barrier(built: Build) -> None:
    cubin = device_build(built).folder / "cuda/gpusnek.cubin"
    counts = barriers(cubin)
    assert counts["porter_release_lanes"].saved == set().union(
        *(found.saved for found in counts.values())
    )
    words = struct.iter_unpack("<Q8x", functions(cubin)["porter_release_lanes"])
    codes = [low & 0xFFF for (low,) in words]
    before, behind = codes[: codes.index(NANOSLEEP)], codes[codes.index(NANOSLEEP) :]
    assert before.count(BSSY) == before.count(BSYNC) == 6 and RESTORE not in before
    assert behind.count(RESTORE) == 6 and BSSY not in behind


def device_build(host: Build) -> Built:
    """Return the build of $PORTER_GPU_BUILD, or make a build with default settings (minutes)."""
    if "PORTER_GPU_BUILD" in os.environ:
        return open_build(Path(os.environ["PORTER_GPU_BUILD"]))
    try:
        nvcc()
    except NoNvcc:
        pytest.skip("no nvcc, and PORTER_GPU_BUILD names no device build")
    release = open_build(host.folder).manifest["release"]
    return open_build(build(BuildConfig(release=release, target="cuda"), jobs=2).folder)


@pytest.mark.campaign("benchmarks")
@needs_valgrind
def test_one_more_statement_is_counted(
    built: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("porter_dev.bench.catalogue.PROGRAMS", tmp_path)
    loop = "for i in range(100):\n    x = i + 1\n"
    (tmp_path / "a.py").write_text(loop)
    (tmp_path / "b.py").write_text(loop + "    y = x\n")
    benchmarks = [Benchmark("a", "", "a.py"), Benchmark("b", "", "b.py")]
    counts = count(built.folder, benchmarks, tmp_path / "out")
    # At least a dispatch or two for each of the 100 iterations, not the whole loop again.
    assert counts["a"] + 1000 < counts["b"] < 2 * counts["a"]
    assert guard.compare({"a": counts["a"]}, {"a": counts["b"]})


def test_only_more_is_worse() -> None:
    stored = {"a": 1000, "b": 0}
    assert not guard.compare(stored, {"a": 1029, "b": 0})
    assert guard.compare(stored, {"a": 1031}) == ["a: 1031, stored 1000, +3.1 %"]
    assert guard.compare(stored, {"b": 1}) == ["b: 1, stored 0"]
    assert guard.compare(stored, {"c": 5}) == ["c: 5, and none is stored"]
    assert not guard.compare(stored, {"a": 1})


def test_storing_keeps_other_tables(tmp_path: Path) -> None:
    path = tmp_path / "baseline.toml"
    guard.store(path, "one", {"a": 1})
    guard.store(path, "two, g++ 12", {"b c": 2})
    guard.store(path, "one", {"d": 3})
    assert guard.load(path) == {"one": {"d": 3}, "two, g++ 12": {"b c": 2}}
    path.write_text("not [ toml")
    with pytest.raises(UsageError):
        guard.load(path)
