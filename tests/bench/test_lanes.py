"""Lane counts of ncu, read from its CSV, and their presentation."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from porter.errors import BenchFailed, UsageError
from porter.run import Device
from porter_dev.bench import lanes
from porter_dev.bench.catalogue import SUITE
from porter_dev.bench.measurement import Setting

DETAILS = """\
==PROF== Connected to process 7
"ID","Process ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value"
"0","7","porter_dev.bench:figure8-module","x","launch__registers","register/thread","64"
"0","7","porter_dev.bench:figure8-module","x","{0}.ratio","","31.50"
"1","7","porter_dev.bench:queens","x","{0}.ratio","","8"
"2","7","porter_dev.bench:queens","x","{0}.ratio","","10"
"3","7","gpusnek_launch","x","{0}.ratio","","1"
"""
RAW = """\
"ID","Kernel Name","thread Domain:Push/Pop_Range:PL_Type","{0}.ratio"
"","","","thread"
"0","gpusnek_launch","<default domain>:porter_dev.bench:queens:none","9.25"
"""


def read(tmp_path: Path, text: str) -> dict[str, float]:
    file = tmp_path / "lanes.csv"
    file.write_text(text.format(lanes.METRIC))
    return lanes.read_lanes(file)


def test_both_pages_of_ncu_are_read(tmp_path: Path) -> None:
    assert read(tmp_path, DETAILS) == {"figure8-module": 31.5, "queens": 9.0}
    assert read(tmp_path, RAW) == {"queens": 9.25}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"8"', '"n/a"', "queens: 'n/a' is no number"),
        ('"8"', '"40"', "queens: 40 of a warp's 32 lanes cannot be active"),
        ("31.50", "nan", "figure8-module: nan of a warp's 32 lanes"),
        ("porter_dev.bench:", "", "no launch of a program with the metric"),
        ("{0}", "other", "no launch of a program with the metric"),
        ("Kernel Name", "Name", "no launch of a program with the metric"),
    ],
)
def test_what_ncu_did_not_count_is_refused(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message) as raised:
        read(tmp_path, DETAILS.replace(old, new))
    assert "docs/how-to/benchmark.md" in str(raised.value.hint)


def test_one_launch_is_seen_by_its_name() -> None:
    done: list[str] = []
    cuda = SimpleNamespace(
        nvtx=SimpleNamespace(RangePush=done.append, RangePop=lambda: done.append("pop")),
        runtime=SimpleNamespace(
            profilerStart=lambda: done.append("start"), profilerStop=lambda: done.append("stop")
        ),
    )
    with pytest.raises(BenchFailed), lanes.seen(cuda, "queens"):
        raise BenchFailed("wrong")
    assert done == ["porter_dev.bench:queens", "start", "stop", "pop"]


def test_what_is_counted_is_right(
    any_device: Device, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(any_device.xp, "cuda", None, raising=False)
    monkeypatch.setattr(lanes, "seen", lambda cuda, name: nullcontext())
    for benchmark in (SUITE[0], SUITE[-1]):
        lanes.count(Setting(any_device, 40, 1), benchmark)
    (tmp_path / "odd.py").write_text("print(threadIdx, numThreads)")
    [odd] = lanes.chosen([str(tmp_path / "odd.py")])
    with pytest.raises(BenchFailed, match="interpreter 0 printed '0 40"):
        lanes.count(Setting(any_device, 40, 1), odd)


def test_programs_are_chosen() -> None:
    assert lanes.chosen([]) == list(SUITE)
    assert [benchmark.name for benchmark in lanes.chosen(["queens"])] == ["queens"]
    with pytest.raises(UsageError, match="quens: there is no such program"):
        lanes.chosen(["quens"])


@pytest.mark.parametrize("arguments", [["-n", "7", "queens"], ["queens", "-n", "7"]])
def test_names_come_before_a_number_or_behind(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[tuple[int, str]] = []
    monkeypatch.setattr(lanes, "open_device", lambda build, target: None)
    monkeypatch.setattr(
        lanes, "count", lambda setting, benchmark: counted.append((setting.n, benchmark.name))
    )
    lanes.main(["build", *arguments])
    assert counted == [(7, "queens")]
