"""Generated programs: reproducible, distinct, and each checked individually."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from porter.errors import BenchFailed
from porter.run import Device
from porter_dev.bench import cpu_references, many
from porter_dev.bench.many import Candidates
from porter_dev.bench.measurement import Setting
from porter_dev.candidates import CASES, programs


def test_a_seed_gives_the_same_distinct_programs() -> None:
    texts = programs(0, many.COUNT)
    assert len(set(texts)) == many.COUNT
    assert texts[:50] == programs(0, 50)
    assert texts[:50] != programs(1, 50)
    assert all(5 <= text.count("\n") <= 30 for text in texts)


def test_some_raise_and_cases_differ() -> None:
    candidates = Candidates(programs(0, 300))
    outputs = [[candidates.expected(p, i) for i in range(0, CASES, 5)] for p in range(300)]
    kinds = Counter(b"Error" in text for texts in outputs for text in texts)
    assert 0.1 < kinds[True] / kinds.total() < 0.5
    assert sum(len(set(texts)) > 2 for texts in outputs) > 200


def test_interpreters_run_what_cpython_runs(any_device: Device) -> None:
    setting = Setting(any_device, n=300, repeat=1)
    found = many.measure(setting, [("cpython", cpu_references.cpython(), 2)])
    assert found.programs == 300
    assert 0 < found.mixed.launch.median <= found.mixed.end_to_end.most
    assert found.references["cpython"].sample <= 300


def test_orders_share_the_work() -> None:
    mixed, rows = many.mixed_order(1000, 64), many.ordered(1000, 64)
    assert list(mixed[:3]) == [0, 1, 2]
    assert list(rows) == sorted(rows)
    assert np.ptp(np.bincount(mixed)) == np.ptp(np.bincount(rows)) == 1


def test_a_wrong_output_is_refused(any_device: Device) -> None:
    text = "print(threadIdx + (numThreads == 9 and threadIdx == 3))\n"
    odd = Candidates([f"numThreads = globals().get('numThreads')\n{text}", "print(2)\n"])
    with pytest.raises(BenchFailed, match="interpreter 3 printed '4"):
        many.launches(Setting(any_device, n=9, repeat=1), odd, np.zeros(9, np.uint32))
    with pytest.raises(BenchFailed, match=r"CPython .* printed something else"):
        many.reference(cpu_references.cpython(), odd, n=9, repeat=1, processes=1)


def test_references_are_samples_of_programs() -> None:
    candidates = many.drawn(many.COUNT)
    found = many.reference(cpu_references.cpython(), candidates, n=1 << 22, repeat=2, processes=2)
    assert 1024 <= found.sample < 1 << 22
    assert found.figure.median > 1
