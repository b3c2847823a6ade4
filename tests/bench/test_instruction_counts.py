"""Counts by instruction are read from reports of ncu and from JSON, and checked."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from porter.errors import UsageError, WrongType
from porter_dev.bench import instruction_counts
from porter_dev.bench.instruction_counts import InstructionCount, LaunchCounts, read_counts

COUNTS = [[0x1000, 4, 1], [0x1010, 4, 0], [0x1030, 0, 0]]
READ = tuple(InstructionCount(*row) for row in COUNTS)
FETCH = "smsp__pcsamp_warps_issue_stalled_no_instructions"


def written(folder: Path, document: Any) -> Path:
    path = folder / "words.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return path


def test_both_forms_of_json_are_read(tmp_path: Path) -> None:
    assert read_counts(written(tmp_path, COUNTS[::-1])) == [LaunchCounts("words", READ)]
    document = {
        "build": "b",
        "programs": {"a": {"counts": COUNTS, "executed": 8}, "b": {"counts": COUNTS[:1]}},
    }
    path = written(tmp_path, document)
    assert read_counts(str(path)) == [LaunchCounts("a", READ), LaunchCounts("b", READ[:1])]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("", "neither a report"),
        (json.dumps(COUNTS)[:-9], "neither a report"),
        ("[" * 100_000, "neither a report"),
        ("7", "there are no programs"),
        ({"programs": {}}, "there are no programs"),
        ({"programs": [COUNTS]}, "there are no programs"),
        ({"programs": {"a": COUNTS}}, "a: there is no list of counts"),
        ({"programs": {"a": {"counts": {}}}}, "a: there is no list of counts"),
        ([], "words: no instruction was executed"),
        ([[16, 0, 0]], "words: no instruction was executed"),
        ([[16, 1]], "words: entry 0 is not"),
        ([*COUNTS, [16, 1.5, 0]], "words: entry 3 is not"),
        ([[16, True, 0]], "words: entry 0 is not"),
        ([["16", 1, 0]], "words: entry 0 is not"),
        ([{"address": 16}], "words: entry 0 is not"),
        ([[16, 1, 0], [32, -1, 0]], "words: the instruction at 0x20 has a negative count"),
        ([[16, 1, -1]], "words: the instruction at 0x10 has a negative count"),
        ([[16, 1, 0], [32, 1, 0], [16, 1, 0]], "words: the instruction at 0x10 occurs twice"),
        ([[-16, 1, 0]], "words: -0x10 is no address"),
        ([[24, 1, 0]], "words: 0x18 is no address"),
    ],
)
def test_malformed_counts_are_refused(tmp_path: Path, document: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message) as raised:
        read_counts(written(tmp_path, document))
    assert "words.json" in raised.value.message
    assert "docs/how-to/benchmark.md" in str(raised.value.hint)


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"\x80\xff")
    for name in ("missing", "missing.ncu-rep", "bytes", "."):
        with pytest.raises(UsageError):
            read_counts(tmp_path / name)
    with pytest.raises(WrongType):
        read_counts(3)  # type: ignore[arg-type]


class Metric:
    """A metric of ncu_report with a value for each address."""

    def __init__(self, values: dict[int, int]) -> None:
        self.values = values

    def num_instances(self) -> int:
        return len(self.values)

    def as_uint64(self, i: int) -> int:
        return list(self.values.values())[i]

    def correlation_ids(self) -> Metric:
        return Metric(dict(enumerate(self.values)))


class Action:
    """A profiled launch of ncu_report."""

    def __init__(self, ranges: Sequence[str] | None, metrics: dict[str, Metric]) -> None:
        self.ranges = ranges
        self.metrics = metrics

    def metric_names(self) -> list[str]:
        return list(self.metrics)

    def metric_by_name(self, name: str) -> Metric | None:
        return self.metrics.get(name)

    def nvtx_state(self) -> Any:
        if self.ranges is None:
            return None
        domain = SimpleNamespace(push_pop_ranges=lambda: self.ranges)
        return SimpleNamespace(domains=lambda: [0], domain_by_id=lambda number: domain)


def report(*actions: Action) -> Any:
    """Return a report of ncu_report with a range for each launch."""
    ranges = [
        SimpleNamespace(num_actions=lambda: 1, action_by_idx=lambda i, action=action: action)
        for action in actions
    ]
    return SimpleNamespace(num_ranges=lambda: len(ranges), range_by_idx=lambda i: ranges[i])


def action(ranges: Sequence[str] | None) -> Action:
    metrics = {
        "inst_executed": Metric({at: n for at, n, _ in COUNTS}),
        f"{FETCH}_not_issued": Metric({at: 99 for at, _, _ in COUNTS}),
        FETCH: Metric({at: n for at, _, n in COUNTS if n}),
        "smsp__pcsamp_sample_count": Metric({}),
    }
    return Action(ranges, metrics)


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Return a fake of ncu_report, imported in its place."""
    fake = SimpleNamespace()
    monkeypatch.setitem(sys.modules, "ncu_report", fake)
    return fake


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "words.ncu-rep"
    path.write_bytes(b"report")
    return path


def test_reports_are_read_by_ncu_report(module: SimpleNamespace, file: Path) -> None:
    named = action(["other", "porter_dev.bench:logs"])
    loaded: list[str] = []
    found = report(named, action(None), named, action([]))

    def load(path: str) -> Any:
        loaded.append(path)
        return found

    module.load_report = load
    launches = read_counts(file)
    assert [launch.name for launch in launches] == ["logs", "words", "logs (2)", "words (2)"]
    assert {launch.counts for launch in launches} == {READ}
    assert loaded == [str(file)]


def test_reports_without_samples_have_counts(module: SimpleNamespace, file: Path) -> None:
    alone = Action(None, {"inst_executed": Metric({16: 3})})
    module.load_report = lambda path: report(alone)
    assert read_counts(file)[0].counts == (InstructionCount(16, 3, 0),)


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (None, "the report holds no launch"),
        (report(), "the report holds no launch"),
        (report(Action(None, {})), "words: the report has no counts by instruction"),
        (report(Action(None, {"inst_executed": Metric({})})), "no counts by instruction"),
        (report(Action(None, {"inst_executed": Metric({8: 1})})), "0x8 is no address"),
    ],
)
def test_reports_without_counts_are_refused(
    module: SimpleNamespace, file: Path, found: Any, message: str
) -> None:
    module.load_report = lambda path: found
    with pytest.raises(UsageError, match=message):
        read_counts(file)


def test_a_damaged_report_is_refused(module: SimpleNamespace, file: Path) -> None:
    def fails(path: str) -> None:
        raise RuntimeError("failed to load")

    module.load_report = fails
    with pytest.raises(UsageError, match="ncu_report cannot read it: failed to load"):
        read_counts(file)


def test_a_machine_without_ncu_report_says_so(
    monkeypatch: pytest.MonkeyPatch, file: Path, tmp_path: Path
) -> None:
    monkeypatch.setattr(instruction_counts, "MODULES", ("nowhere/*",))
    monkeypatch.setitem(sys.modules, "ncu_report", None)
    with pytest.raises(UsageError, match="need NVIDIA's Python module ncu_report") as raised:
        read_counts(file)
    assert "--json" in str(raised.value.hint)


def test_ncu_report_is_found_in_the_profilers_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delitem(sys.modules, "ncu_report", raising=False)
    folder = tmp_path / "opt/nvidia/nsight-compute/2025.3.1/extras/python"
    folder.mkdir(parents=True)
    (folder / "ncu_report.py").write_text("name = 'found'")
    before = list(sys.path)
    assert instruction_counts.report_module(tmp_path).name == "found"
    assert sys.path == before
    monkeypatch.delitem(sys.modules, "ncu_report")
