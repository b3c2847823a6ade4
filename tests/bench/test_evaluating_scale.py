"""benchmarks/evaluating_scale.py: rows of each engine, equal results, and the plot."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.evaluating_scale import KINDS, plot, sources_of

if TYPE_CHECKING:
    from porter.pipeline import Build

ROOT = Path(__file__).resolve().parents[2]


def test_rows_and_plot(built: Build, tmp_path: Path) -> None:
    out = tmp_path / "scale.csv"
    command = [sys.executable, "-m", "benchmarks.evaluating_scale", "--build", str(built.folder)]
    command += ["--counts", "20", "40", "--out", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    expected = [(kind, str(n), str(cases)) for kind, cases in KINDS.items() for n in (20, 40)]
    for engine in ("CPython", "cores"):
        own = [row for row in rows if row["engine"] == engine]
        assert [(row["kind"], row["programs"], row["cases"]) for row in own] == expected
        assert all(float(row["seconds"]) > 0 for row in own)
    pytest.importorskip("matplotlib")
    plot(rows, tmp_path / "judging.png")
    assert (tmp_path / "judging.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("kind", KINDS)
def test_programs_are_new_for_each_seed(kind: str) -> None:
    assert not set(sources_of(kind, 50, 1)) & set(sources_of(kind, 50, 2))
