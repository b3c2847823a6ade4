"""porter_dev/gpu_tables.py: recordings of GPU runs become small tables, which the index lists."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from porter_dev.csv_tables import Table, merge, read
from porter_dev.gpu_tables import FOLDER, NotARecording, add, options

MEDIAN = {"median": 0.0026264960765838624, "least": 0.002, "most": 0.003, "runs": 3}
WHOLE = {"launch": MEDIAN, "end_to_end": MEDIAN}
PHASES = dict.fromkeys(("start", "compile", "execute", "empty"), MEDIAN)
ABOUT = {"n": 64, "repeat": 3, "cores": 2, "device": "H100", "config": {"release": "1.28.0"}}
PROGRAM = {
    "phases": PHASES, "whole": WHOLE, "unforked": WHOLE, "own_over_equal": 1.5, "lanes": None,
    "times_c": None, "faster_than": {"cpython": 12.25},
}  # fmt: skip
FAILED = {"test": "basics/a.py", "verdict": "fail"}
COUNTS = {"pass": 1, "fail": 1, "skip": 0, "unlisted-skip": 0, "unexpected-pass": 0}
ENTER = {"enter_to_last_banner": 0.05, "launch": 0.02, "merge": 0.01, "groups": 3, "all": [0.05]}
RECORDINGS: dict[str, tuple[dict[str, Any], str, str]] = {
    "bench": (
        {"about": ABOUT, "programs": {"queens": PROGRAM}, "costs": {}, "memory": {"rest": 754}},
        "bench", "queens,2.626496,2,3,1.5,12.25,2.626496",
    ),
    "scale": (
        {"about": ABOUT, "program": "queens", "left_out": [], "by_heap": [],
         "by_count": [{"n": 64, "heap": 4096, "whole": WHOLE, "phases": PHASES}]},
        "scale", "count,64,4096,2.626496",
    ),
    "conformance": (
        {"release": "1.28.0", "seconds": 10.5, "counts": COUNTS, "results": [FAILED]},
        "conformance", "1.28.0,512K,no,--compiled basics,1,1,0,0,0,10.5,basics/a.py",
    ),
    "sweep": (
        {"release": "1.28.0", "programs": 2, "interpreters": 9, "neighbours": 1, "seconds": 1.5,
         "outcomes": {"MemoryError": 9}, "not_swept": ["a"], "bad": []},
        "sweep", "1.28.0,--compiled basics,2,9,1,1.5,9,1",
    ),
    "steps": ({"programs": 2, "steps": 16344384, "at their limit": 0, "differing": {}},
              "steps", "no,2,16344384,0,none"),
    "hostile": (
        {"build": "1.28.0", "rows": {"a": {"ends": ["OK"], "late": 0.25, "wrong": ["text"]}}},
        "hostile", "1.28.0,no,1,1 OK,a,0.25",
    ),
    "sharing": ({"build": "1.28.0", "rows": {"alone": {"ms": 35.5, "ends": ["OK"]}}},
                "sharing", "alone,35.5,OK"),
    "run_all": (
        {"build": {"release": "1.28.0"},
         "check_smoke": {"passed": True, "seconds": 2.0, "figures": {"hello": 0.004}}},
        "run_all", "smoke,yes,hello,0.004",
    ),
    "repl": ({"bytes_each": 16, "numThreads": ENTER}, "repl", "numThreads,50,50,50,20,10,3"),
}  # fmt: skip


@pytest.mark.parametrize("name", RECORDINGS)
def test_each_kind_of_recording_is_reduced(name: str, tmp_path: Path) -> None:
    recording, target, cells = RECORDINGS[name]
    (tmp_path / f"{name}.json").write_text(json.dumps(recording))
    notes = {
        "command": "porter x --heap 512K --compiled basics",
        "card": "H100",
        "bounds checks": "no",
    }
    written = add(tmp_path / f"{name}.json", notes, tmp_path)
    assert written.name == f"{target}.csv"
    assert cells in written.read_text()
    assert "H100" in written.read_text()


def test_a_repeated_run_replaces_its_row(tmp_path: Path) -> None:
    recording, _, _ = RECORDINGS["conformance"]
    for name, seconds in (("a", 1.0), ("b", 2.0), ("a", 3.0)):
        (tmp_path / f"{name}.json").write_text(json.dumps(recording | {"seconds": seconds}))
        add(tmp_path / f"{name}.json", {"date": "2026-11-26", "commit": "1234567"}, tmp_path)
    table = read(tmp_path / "conformance.csv")
    seconds = table.columns.index("seconds")
    assert [(row[0], row[seconds]) for row in table.rows] == [("a", "3"), ("b", "2")]


def test_a_merged_row_may_have_other_columns() -> None:
    key = ("recording", "date", "commit")
    known = Table({"card": "H100"}, (*key, "old"), [("a", "", "", "1")])
    merged = merge(known, Table({}, (*key, "new"), [("b", "", "", "2")]))
    assert merged.text() == "# card: H100\nrecording,new,old\na,,1\nb,2,\n"


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(NotARecording):
        add(tmp_path / "other.json", {}, tmp_path)


def test_a_command_is_split_into_mode_and_places() -> None:
    command = "porter sweep --compiled --target cuda --build BUILD --limit 60  # --arena global"
    mode, places = options(command)
    assert mode == "--compiled --limit 60"
    assert places == {"--target": "cuda", "--build": "BUILD"}


def test_the_index_lists_every_table() -> None:
    listed = re.findall(r"^\| \[[^]]*\]\((\S+\.csv)\)", (FOLDER / "README.md").read_text(), re.M)
    assert sorted(listed) == sorted(path.name for path in FOLDER.glob("*.csv"))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.csv")), ids=lambda path: path.stem)
def test_a_table_is_small_and_whole(path: Path) -> None:
    table = read(path)
    assert len(table.rows) <= 80
    assert {len(row) for row in table.rows} == {len(table.columns)}
    assert table.text() == path.read_text()
