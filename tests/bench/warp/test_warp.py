"""A traced host twin: its records are reproducible, and lanes diverge no more than stored.

After a change that justifies its cost: `python -m porter_dev.bench.warp BUILD --baseline
tests/bench/baseline.toml --store`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from porter.config import BuildConfig
from porter.errors import BenchFailed, UsageError
from porter.pipeline import Build, build
from porter.run.built import open_build
from porter_dev.bench.guard import load
from porter_dev.bench.warp import __main__ as command
from porter_dev.bench.warp.record import Recorder
from porter_dev.bench.warp.warp_report import WarpBench, by_function, compare, lanes_table, names_of

pytestmark = pytest.mark.campaign("build-variants")

BASELINE = Path(__file__).parents[1] / "baseline.toml"
PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="module")
def traced(built: Build) -> Path:
    """Return the newest release's build with a traced host twin beside the ordinary one."""
    release = open_build(built.folder).manifest["release"]
    return build(BuildConfig(release=release, target="host"), variant="traced", jobs=2).folder


@pytest.fixture(scope="module")
def bench(traced: Path) -> WarpBench:
    return WarpBench.of(traced)


def test_equal_data_never_part_lanes(bench: WarpBench) -> None:
    walked = bench.walk(str(PROGRAMS / "loops.py"))
    assert walked.models["barriers"].active > 31.9
    assert walked.cut == 0


def test_a_recording_repeats(bench: WarpBench) -> None:
    program = PROGRAMS / "sorting_own.py"
    first, second = (bench.recorder.record(program.read_text(), "x")[0] for _ in range(2))
    assert (first.lengths == second.lengths).all()
    assert len(set(first.lengths.tolist())) > 10  # the lanes have different data
    found = [bench.walk(str(program)).models["barriers"] for _ in range(2)]
    assert found[0].issues == found[1].issues
    assert np.array_equal(found[0].parted, found[1].parted)


def test_sorting_parts_lanes_where_it_compares(bench: WarpBench) -> None:
    one = bench.walk(str(PROGRAMS / "sorting_own.py")).models["barriers"]
    shares = {name: parted for name, parted, _ in by_function(bench.code, one)[:3]}
    assert one.active < 32
    assert any("sort" in name for name in shares) or one.active > 16


def test_a_program_that_does_not_end_is_cut_and_says_so(traced: Path) -> None:
    walked = WarpBench.of(traced, steps=2000).walk(str(PROGRAMS / "endless.py"))
    assert walked.cut == 8
    recorder = Recorder.of(traced, words=5000)
    recording, _ = recorder.record((PROGRAMS / "loops.py").read_text(), "x")
    assert recording.cut.all()
    assert (recording.lengths == 5000).all()


def test_no_more_lanes_idle_than_stored(traced: Path, bench: WarpBench) -> None:
    stored = load(BASELINE).get(lanes_table(open_build(traced)))
    if stored is None:
        pytest.skip("no baseline for this release and compiler; --store makes one")
    lanes = {
        name: round(100 * bench.walk(name, ["barriers"]).models["barriers"].active)
        for name in names_of(())
    }
    worse = compare(stored, lanes)
    assert not worse, "\n".join(worse)


def test_only_fewer_lanes_are_worse() -> None:
    assert not compare({"a": 1000}, {"a": 971})
    assert compare({"a": 1000}, {"a": 969}) == ["a: 9.69 lanes, stored 10.0, -3.1 %"]
    assert compare({}, {"b": 1}) == ["b: 0.01 lanes, and none are stored"]
    assert not compare({"a": 1}, {"a": 3200})


def test_the_command(traced: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    baseline = tmp_path / "baseline.toml"
    asked = [str(traced), "--only", str(PROGRAMS / "branches.py"), "--baseline", str(baseline)]
    command.main([*asked, "--models", "ideal", "barriers", "--store"])
    shown = capsys.readouterr().out
    assert shown.startswith("branches: ")
    assert "mp_execute_bytecode" in shown
    command.main(asked)
    text = baseline.read_text()
    baseline.write_text(text.replace('"branches" = ', '"branches" = 9'))
    with pytest.raises(BenchFailed, match="branches: "):
        command.main(asked)


def test_what_is_not_there_is_refused(built: Build, bench: WarpBench, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no program of the suite"):
        bench.walk("nothing")
    with pytest.raises(UsageError, match=r"none\.py"):
        bench.walk(str(tmp_path / "none.py"))
