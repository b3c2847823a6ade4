"""The paper's Figures 5a to 5c and 6, as in `examples/`, against CPython."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from porter.repl import Session
from porter.run import Device

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))

import figures


@pytest.mark.parametrize("name", figures.FIGURES)
def test_a_figure(any_device: Device, name: str) -> None:
    assert figures.check(any_device, 1024, name) == []


def test_the_beetle(any_device: Device, tmp_path: Path) -> None:
    Picture = pytest.importorskip("PIL.Image")
    path = tmp_path / "beetle.png"
    assert figures.check(any_device, 128 * 128, "figure6", path) == []
    with Picture.open(path) as picture:
        assert picture.size == (128, 128)
        colours = Counter(picture.convert("RGB").get_flattened_data())
    # Inside the set all iterations ran: no blue, all green and red, which saturate.
    assert 1000 < colours[255, 255, 0] < 128 * 128 / 2 and len(colours) > 20


@pytest.mark.gpu
@pytest.mark.parametrize("any_device", ["cuda"], indirect=True)
@pytest.mark.parametrize("name", figures.FIGURES)
def test_a_figure_on_a_million(any_device: Device, name: str) -> None:
    assert figures.check(any_device, figures.PAPER, name) == []


@pytest.mark.parametrize("name", figures.FIGURES[:3])
def test_transcripts_account_for_all_of_a_million(name: str) -> None:
    counted = 0
    for exchange in figures.transcript(name):
        counts = [int(count) for count in re.findall(r"----- (\d+)x -----", exchange.printed)]
        assert sum(counts) in (0, figures.PAPER)
        counted += len(counts)
    assert counted >= 3


def test_what_the_comparison_finds(any_device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    session, expected = Session.open(any_device, 8), figures.Expected(8)
    expected._globals[3]["threadIdx"] = 4  # as if one interpreter were wrong
    (problem,) = figures.play_figure("figure5a", session, expected)
    assert problem.startswith("figure5a: threadIdx % 3: not as CPython")
    monkeypatch.setattr(figures, "PAPER", 9)
    session, expected = Session.open(any_device, 9), figures.Expected(9)
    assert [problem[:40] for problem in figures.play_figure("figure5a", session, expected)] == [
        "figure5a: numThreads: not as the transcr",
        "figure5a: threadIdx % 3: not as the tran",
    ]


def test_bytes_of_the_stand_in() -> None:
    pixels = figures.Pixels(3)
    pixels[0:3] = [256 * 1.0, -3, 7.9]
    assert (pixels.memory == np.array([255, 0, 7])).all()
