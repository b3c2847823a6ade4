"""The client sends a build to workers that lack it, also to workers that join later."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from porter import dask
from porter.dask import builds
from porter.dask.builds import Supply, parcel_of
from porter.errors import ClusterMismatch
from porter.pipeline import Build
from porter.run.built import open_build

SOURCE = "print(threadIdx % 3)"


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch, built: Build, tmp_path: Path) -> Iterator[Any]:
    """Yield the client of a cluster whose workers see neither the client's build nor its cache."""
    distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    hidden = parcel_of(open_build(built.folder))
    monkeypatch.setattr(
        builds, "parcel_of", lambda _: attrs.evolve(hidden, folder=str(tmp_path / "elsewhere"))
    )
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


def move_caches(client: Any, folder: Path) -> None:
    """Let every worker keep builds in another folder."""

    def move(to: str) -> None:
        os.environ["XDG_CACHE_HOME"] = to

    client.run(move, str(folder))


def shipped(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("shipped/*") if path.is_dir())


def test_the_files_are_sent_once_per_machine(
    elsewhere: Any, built: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = open_build(built.folder)
    supply = Supply.of(elsewhere, here)
    assert supply.sent == 1 and shipped(tmp_path) == [supply.parcel.key]
    monkeypatch.setattr(builds, "packed", lambda built: pytest.fail("packed again"))
    assert Supply.of(elsewhere, here).sent == 0
    result = dask.run(elsewhere, SOURCE, 300, part=128, build=built.folder)
    assert result.stdout[4] == b"1\n"


def test_a_worker_that_joins_later_gets_the_build(
    elsewhere: Any, built: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = [f"def solve(x): return x + {k}" for k in range(40)]
    supplies: list[Supply] = []

    def changed(client: Any, built: Any) -> Supply:
        supply = Supply(client, built, builds.parcel_of(built))
        supply()
        supplies.append(supply)
        # As if every worker had left, and others without a cache had taken their places.
        move_caches(client, tmp_path / "other")
        return supply

    monkeypatch.setattr(Supply, "of", changed)
    found = dask.evaluate(elsewhere, programs, [((1,), 2)], build=built.folder, batch=4)
    assert found.passed.ravel().tolist() == [k == 1 for k in range(40)]
    assert supplies[0].sent == 2


def test_a_worker_that_cannot_store_it(elsewhere: Any, built: Build, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    move_caches(elsewhere, tmp_path / "file" / "below")
    with pytest.raises(ClusterMismatch, match="cannot store the build"):
        dask.run(elsewhere, SOURCE, 3, build=built.folder)
