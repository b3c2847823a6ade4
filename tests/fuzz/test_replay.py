"""The fuzzer's corpus again, on the host twin, between neighbours that must not notice."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.base import paths
from porter.config import BuildConfig
from porter.pipeline import build
from porter.run import open_device
from porter.sync.lock import newest_release
from porter_dev.fuzz.replay import replay

CORPUS = Path(__file__).parent / "corpus"
LARGEST = 300_000  # bytes in all


def inputs() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(CORPUS.iterdir())}


def test_the_corpus_stays_small() -> None:
    sizes = [len(data) for data in inputs().values()]
    assert len(sizes) > 100 and sum(sizes) <= LARGEST


def test_no_input_breaks_an_interpreter_or_a_neighbour() -> None:
    release = newest_release()
    if not (paths.upstream_dir() / release / "py").is_dir():
        pytest.skip(f"{release} is not synced")
    folder = build(BuildConfig(release=release, heap=64 * 1024, arena="global")).folder
    done = replay(open_device(folder, "host"), inputs())
    assert done.inputs > 100
    assert not done.broken
    assert done.neighbours == 1
    assert done.statuses.keys() >= {"GPUSNEK_OK", "GPUSNEK_EXCEPTION", "GPUSNEK_SYNTAX_ERROR"}
