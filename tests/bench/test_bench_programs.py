"""The suite's programs do on interpreters what they do in CPython and in C, and a slip is seen."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from porter.bench import catalogue, lifecycle, measure, native, oracle, scripts
from porter.bench.catalogue import SUITE, Benchmark
from porter.errors import BenchFailed, ToolFailed
from porter.run import Device, Program

NUMERIC = [benchmark for benchmark in SUITE if benchmark.kernel]


def by_name(benchmark: Benchmark) -> str:
    return benchmark.name


@pytest.mark.parametrize("benchmark", SUITE, ids=by_name)
def test_outputs_are_cpythons(any_device: Device, benchmark: Benchmark) -> None:
    setting = measure.Setting(any_device, n=benchmark.period + 3, repeat=1)
    whole = measure.whole(setting, benchmark)
    phases = measure.phases(setting, benchmark)
    assert 0 < whole.launch.median <= whole.end_to_end.most
    assert phases.execute.runs == 1
    assert 0 < phases.swap_share <= 1


@pytest.mark.parametrize("benchmark", SUITE, ids=by_name)
def test_interpreters_have_work_of_their_own(benchmark: Benchmark) -> None:
    """A check of one output would not notice interpreters that swap places."""
    texts = oracle.expected(benchmark)
    assert len(texts) == benchmark.period
    assert len(set(texts)) > 1


@pytest.mark.parametrize("benchmark", NUMERIC, ids=by_name)
def test_c_agrees(any_device: Device, benchmark: Benchmark) -> None:
    assert native.measure(any_device, benchmark, n=1000, repeat=2).least > 0


def test_another_output_is_refused(
    any_device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One interpreter of many prints something else, with as many bytes."""
    monkeypatch.setattr(catalogue, "PROGRAMS", tmp_path)
    (tmp_path / "odd.py").write_text("print(threadIdx % 4 + (numThreads == 9 and threadIdx == 7))")
    setting = measure.Setting(any_device, n=9, repeat=1)
    with pytest.raises(BenchFailed, match="interpreter 7 printed '4"):
        measure.whole(setting, Benchmark("odd", "odd", "odd.py", period=4))


def test_a_failing_interpreter_is_refused(any_device: Device) -> None:
    setting = measure.Setting(any_device, n=9, repeat=1)
    result = setting.run(Program(b"1 // (threadIdx - 5)"))
    with pytest.raises(BenchFailed, match=r"(?s)1 of 9 interpreters failed; 5 .*ZeroDivisionError"):
        oracle.check_ended("division", result, any_device)


def test_references_are_scaled_and_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark = SUITE[0]
    python = scripts.cpython()
    found = scripts.measure(python, benchmark, n=1 << 30, repeat=2, processes=2)
    assert benchmark.period <= found.sample < 1 << 24
    assert found.processes == 2
    assert found.figure.runs == 2
    # Otherwise the work of 2^30 interpreters takes hours.
    assert found.figure.median > 60
    wrong = attrs.evolve(benchmark, period=3)
    with pytest.raises(BenchFailed, match=r"CPython .* printed something else"):
        scripts.measure(python, wrong, n=7, repeat=1)


def test_a_reference_that_breaks_is_reported(tmp_path: Path) -> None:
    script = tmp_path / "broken"
    script.write_text("#!/bin/sh\necho no such option >&2\nexit 3\n")
    script.chmod(0o755)
    with pytest.raises(ToolFailed, match="no such option"):
        scripts.measure(scripts.Python("x", "x", (str(script),)), SUITE[0], n=4, repeat=1)


@pytest.mark.parametrize("n", [1, 2, 3, 64])
def test_repl_answers_are_checked(any_device: Device, n: int) -> None:
    cost = lifecycle.repl(measure.Setting(any_device, n, repeat=1))
    assert 0 < cost.device.median <= cost.whole.median


def test_a_repl_that_answers_wrongly_is_refused(
    any_device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lifecycle, "LINE", Program(b"threadIdx % 3 + threadIdx // 8\n"))
    with pytest.raises(BenchFailed, match="repl: 4 groups"):
        lifecycle.repl(measure.Setting(any_device, n=9, repeat=1))
