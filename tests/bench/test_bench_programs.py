"""The suite's programs give equal results in porter, CPython and C, and errors are detected."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

from porter.errors import BenchFailed, ToolFailed
from porter.run import Device, Launch, Program
from porter_dev.bench import c_references, catalogue, cpu_references, lifecycle, measurement, oracle
from porter_dev.bench.catalogue import SUITE, Benchmark
from tests.bench.variants import VARIANTS

SMALL = Launch(heap=12 << 10)  # the heap of the figures in docs/lab/figures.md
NUMERIC = [benchmark for benchmark in SUITE if benchmark.kernel]


def by_its_name(name: str) -> Benchmark:
    return next(benchmark for benchmark in SUITE if benchmark.name == name)


def by_name(benchmark: Benchmark) -> str:
    return benchmark.name


@pytest.mark.parametrize("benchmark", SUITE, ids=by_name)
def test_outputs_are_cpythons(any_device: Device, benchmark: Benchmark) -> None:
    setting = measurement.Setting(any_device, n=benchmark.period + 3, repeat=1, launch=SMALL)
    whole = measurement.whole(setting, benchmark)
    phases = measurement.phases(setting, benchmark)
    assert 0 < whole.launch.median <= whole.end_to_end.most
    assert phases.execute.runs == 1
    assert 0 < phases.swap_share <= 1


@pytest.mark.parametrize("benchmark", VARIANTS, ids=by_name)
def test_outputs_of_variants_are_cpythons(any_device: Device, benchmark: Benchmark) -> None:
    assert len(set(oracle.expected(benchmark))) > 1
    setting = measurement.Setting(any_device, n=benchmark.period + 3, repeat=1, launch=SMALL)
    assert measurement.whole(setting, benchmark).launch.runs == 1
    assert measurement.phases(setting, benchmark).execute.runs == 1


def test_each_kind_has_a_variant() -> None:
    assert [variant.name for variant in VARIANTS] == [benchmark.name for benchmark in SUITE[12:]]


@pytest.mark.parametrize("benchmark", SUITE, ids=by_name)
def test_interpreters_have_work_of_their_own(benchmark: Benchmark) -> None:
    """A check of a single output would not detect interpreters that swap places."""
    texts = oracle.expected(benchmark)
    assert len(texts) == benchmark.period
    assert len(set(texts)) > 1


@pytest.mark.parametrize("benchmark", SUITE, ids=by_name)
def test_equal_data_give_cpythons_outputs(any_device: Device, benchmark: Benchmark) -> None:
    figure = measurement.equal_data(measurement.Setting(any_device, n=70, repeat=1), benchmark)
    assert (figure is None) == (benchmark.setup is not None)


def test_lanes_of_a_warp_have_equal_data() -> None:
    benchmark = by_its_name("words")
    equal = benchmark.with_equal_data()
    assert equal is not None
    own, texts = oracle.expected(benchmark), oracle.expected(equal)
    assert [texts[i] for i in range(0, len(texts), 32)] == list(own)
    assert all(texts[i] == own[i // 32] for i in range(len(texts)))


@pytest.mark.parametrize("benchmark", NUMERIC, ids=by_name)
def test_c_agrees(any_device: Device, benchmark: Benchmark) -> None:
    assert c_references.measure(any_device, benchmark, n=1000, repeat=2).least > 0


def test_another_output_is_refused(
    any_device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of many interpreters prints another output of the same length."""
    monkeypatch.setattr(catalogue, "PROGRAMS", tmp_path)
    (tmp_path / "odd.py").write_text("print(threadIdx % 4 + (numThreads == 9 and threadIdx == 7))")
    setting = measurement.Setting(any_device, n=9, repeat=1)
    with pytest.raises(BenchFailed, match="interpreter 7 printed '4"):
        measurement.whole(setting, Benchmark("odd", "odd", "odd.py", period=4))


def test_a_wrong_sum_is_refused(
    any_device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One interpreter leaves out the last row."""
    benchmark = by_its_name("figure8-module")
    text = benchmark.source.replace("NUM_ROWS = 256", "NUM_ROWS = 256 - (threadIdx == 3)")
    setup = benchmark.setup_path
    assert setup is not None
    (tmp_path / setup.name).write_text(setup.read_text())
    (tmp_path / "odd.py").write_text(text)
    right = oracle.expected(benchmark)
    monkeypatch.setattr(catalogue, "PROGRAMS", tmp_path)
    monkeypatch.setattr(oracle, "expected", lambda _: right)
    wrong = attrs.evolve(benchmark, name="odd", file="odd.py")
    with pytest.raises(BenchFailed, match="odd: column 3 sums to"):
        measurement.whole(measurement.Setting(any_device, n=40, repeat=1), wrong)


def test_all_have_the_same_matrix() -> None:
    setup = by_its_name("figure8-module").setup_path
    assert setup is not None
    for n in (5, 32, 77):
        names: dict[str, Any] = {"numThreads": n}
        exec(setup.read_text(), names)
        assert names["data"].tolist() == oracle.cells(np, n).reshape(-1).tolist()


def test_shared_data_is_as_it_was_in_each_repetition() -> None:
    """Figure 8 overwrites its input with its sums; a second run would sum those too."""
    for processes in (1, 2):
        found = cpu_references.measure(
            cpu_references.cpython(), SUITE[0], n=64, repeat=3, processes=processes
        )
        assert found.sample == 64


def test_a_failing_interpreter_is_refused(any_device: Device) -> None:
    setting = measurement.Setting(any_device, n=9, repeat=1)
    result = setting.run(Program(b"1 // (threadIdx - 5)"))
    with pytest.raises(BenchFailed, match=r"(?s)1 of 9 interpreters failed; 5 .*ZeroDivisionError"):
        oracle.check_ended("division", result, any_device)


def test_references_are_scaled_and_checked() -> None:
    benchmark = by_its_name("integers-module")
    python = cpu_references.cpython()
    found = cpu_references.measure(python, benchmark, n=1 << 30, repeat=2, processes=2)
    assert benchmark.period <= found.sample < 1 << 24
    assert found.processes == 2
    assert found.figure.runs == 2
    # Otherwise the work of 2^30 interpreters takes hours.
    assert found.figure.median > 60
    wrong = attrs.evolve(benchmark, period=3)
    with pytest.raises(BenchFailed, match=r"CPython .* printed something else"):
        cpu_references.measure(python, wrong, n=7, repeat=1)


def test_a_reference_that_breaks_is_reported(tmp_path: Path) -> None:
    script = tmp_path / "broken"
    script.write_text("#!/bin/sh\necho no such option >&2\nexit 3\n")
    script.chmod(0o755)
    with pytest.raises(ToolFailed, match="no such option"):
        cpu_references.measure(
            cpu_references.Python("x", "x", (str(script),)), SUITE[0], n=4, repeat=1
        )


@pytest.mark.parametrize("n", [1, 2, 3, 64])
def test_repl_answers_are_checked(any_device: Device, n: int) -> None:
    cost = lifecycle.repl(measurement.Setting(any_device, n, repeat=1))
    assert 0 < cost.device.median <= cost.whole.median


def test_a_repl_that_answers_wrongly_is_refused(
    any_device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lifecycle, "LINE", Program(b"threadIdx % 3 + threadIdx // 8\n"))
    with pytest.raises(BenchFailed, match="repl: 4 groups"):
        lifecycle.repl(measurement.Setting(any_device, n=9, repeat=1))
