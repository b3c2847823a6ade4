"""`porter bench --scale`: every size is measured or named, and the picture holds all of them."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from porter.cli import execute
from porter.errors import BenchFailed
from porter.pipeline import Build
from porter.run import Device
from porter_dev.bench import scaling, scaling_plot
from porter_dev.bench.catalogue import SUITE, Benchmark
from porter_dev.bench.measurement import Setting

COUNTS = [3, 16, 64]
HEAPS = [2 << 10, 16 << 10, 128 << 10]


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scaling, "COUNTS", {"host": COUNTS, "cuda": COUNTS})
    monkeypatch.setattr(scaling, "HEAPS", HEAPS)


def test_points_and_what_does_not_fit(any_device: Device) -> None:
    found = scaling.scaling(Setting(any_device, n=8, repeat=1), SUITE[1])
    assert [point.n for point in found.by_count] == COUNTS
    assert [(point.n, point.heap) for point in found.by_heap] == [(8, heap) for heap in HEAPS[1:]]
    [left_out] = found.left_out
    assert left_out.startswith("8 interpreters, heap 2048: ")
    assert "MemoryError" in left_out


def test_a_wrong_answer_is_no_lack_of_memory(
    any_device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("porter_dev.bench.catalogue.PROGRAMS", tmp_path)
    (tmp_path / "odd.py").write_text("print(threadIdx + numThreads)")
    with pytest.raises(BenchFailed, match="interpreter 0 printed"):
        scaling.scaling(Setting(any_device, n=8, repeat=1), Benchmark("odd", "odd", "odd.py"))


def test_command_writes_json_and_a_picture(built: Build, tmp_path: Path) -> None:
    figures, picture = tmp_path / "scale.json", tmp_path / "scale.svg"
    arguments = ["--build", str(built.folder), "--target", "host", "--repeat", "1", "-n", "8"]
    arguments += ["--only", "integers-function", "--json", str(figures), "--plot", str(picture)]
    assert execute(["bench", "--scale", *arguments]) == 0
    document = json.loads(figures.read_text())
    assert document["program"] == "integers-function"
    assert [point["n"] for point in document["by_count"]] == COUNTS
    lines = ElementTree.parse(picture).getroot().iter("{http://www.w3.org/2000/svg}polyline")
    points = [[pair.split(",") for pair in line.get("points", "").split()] for line in lines]
    lengths = len(document["by_count"]), len(document["by_heap"])
    curves = len(scaling_plot.CURVES)
    assert [len(curve) for curve in points] == [lengths[0]] * curves + [lengths[1]] * curves
    for x, y in (pair for curve in points for pair in curve):
        assert 0 <= float(x) <= scaling_plot.WIDTH
        assert 0 <= float(y) <= scaling_plot.HEIGHT


def test_an_axis_is_logarithmic() -> None:
    axis = scaling_plot.Axis(1, 100, 200)
    assert (axis.at(1), axis.at(10), axis.at(100)) == (0, 100, 200)


def test_plot_without_scale_is_refused(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert execute(["bench", "--plot", str(tmp_path / "x.svg")]) == 2
    assert "--scale" in capfd.readouterr().err
