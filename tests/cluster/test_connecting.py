"""Missing schedulers, unsuitable workers, and the transfer of builds."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import attrs
import pytest

from porter import dask
from porter.config import BuildConfig
from porter.dask.builds import Parcel, build_for, found, packed, parcel_of, unpack
from porter.dask.connection import Abilities, check_workers, target_for, workers_of
from porter.errors import ClusterFailed, ClusterMismatch, NoCluster, NoGpu, UsageError, WrongType
from porter.pipeline import Build
from porter.run import open_device, run
from porter.run.built import Built, open_build
from porter.version import __version__

distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")

PYTHON = "{}.{}".format(*sys.version_info)
WITHOUT = Abilities(__version__, PYTHON, 0, 1)
WITH = attrs.evolve(WITHOUT, gpus=1)


@pytest.fixture
def closed() -> Iterator[str]:
    """Return an address without a listener."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"tcp://127.0.0.1:{taken.getsockname()[1]}"


def test_no_scheduler(closed: str) -> None:
    start = time.monotonic()
    with pytest.raises(NoCluster, match=f"no Dask scheduler answers at {closed}"):
        dask.connect(closed, timeout=1)
    assert time.monotonic() - start < 10
    with pytest.raises(NoCluster):
        dask.connect("nonsense://here", timeout=1)
    with pytest.raises(WrongType):
        dask.connect(8786)  # type: ignore[arg-type]
    for timeout, error in (("x", WrongType), (-1, UsageError), (float("nan"), UsageError)):
        with pytest.raises(error, match="timeout: "):
            dask.connect(closed, timeout=timeout)  # type: ignore[arg-type]


def test_the_command_says_so(closed: str, built: Build, tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_text('"def solve(x): return x"\n')
    (tmp_path / "c.jsonl").write_text("[[1], 1]\n")
    command = [sys.executable, "-m", "porter", "evaluate", "p.jsonl", "c.jsonl"]
    command += ["--build", str(built.folder), "--scheduler", closed]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == NoCluster.exit_code
    assert "no Dask scheduler answers" in done.stderr and "Traceback" not in done.stderr


def test_no_workers() -> None:
    with (
        distributed.LocalCluster(
            n_workers=0, dashboard_address=":0", processes=False, protocol="tcp"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        pytest.raises(NoCluster, match="has no workers"),
    ):
        workers_of(client, None, timeout=0.2)


def test_a_scheduler_that_goes_away(built: Build) -> None:
    with distributed.LocalCluster(
        n_workers=1, dashboard_address=":0", processes=False, protocol="tcp", silence_logs=60
    ) as cluster:
        client = dask.connect(cluster.scheduler_address, timeout=1)
        programs = ["def solve(x):\n    for i in range(20000): pass\n    return x"] * 200
        with pytest.raises(ClusterFailed, match=r"^programs \d+ to \d+: the scheduler") as raised:
            dask.evaluate(
                client,
                programs,
                [((1,), 1)],
                batch=2,
                progress=lambda done: cluster.close() if done == 4 else None,
                build=built.folder,
            )
        assert [judgement.first for judgement in raised.value.result][:2] == [0, 2]
        client.close()
        with pytest.raises(UsageError, match="client: it is closed"):
            dask.run(client, "pass", 4, build=built.folder)


def test_workers_that_do_not_fit() -> None:
    check_workers({"a": WITHOUT, "b": WITH}, None)
    with pytest.raises(NoGpu, match="1 of 2 workers have no GPU: a"):
        check_workers({"a": WITHOUT, "b": WITH}, "cuda")
    others: list[dict[str, Any]] = [{"porter": "0.0.1"}, {"python": "2.7"}]
    for other in others:
        with pytest.raises(ClusterMismatch, match=r"^worker b has porter "):
            check_workers({"a": WITHOUT, "b": attrs.evolve(WITHOUT, **other)}, None)
    missing: dict[str, Any] = {"a": ModuleNotFoundError("No module named 'porter'")}
    with pytest.raises(ClusterMismatch, match="worker a cannot run porter: No module"):
        check_workers(missing, None)


def test_what_is_built_for_workers(built: Build) -> None:
    assert target_for({"a": WITHOUT}) == "host"
    assert target_for({"a": WITH}) == "cuda"
    assert target_for({"a": WITH, "b": WITHOUT}) == "all"
    assert build_for({"a": WITHOUT}, None, None, built.folder).folder == built.folder.resolve()
    with pytest.raises(UsageError, match="tpu"):
        build_for({"a": WITHOUT}, "tpu", None, built.folder)


def test_a_build_of_the_wheel_is_sent(built: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[BuildConfig] = []

    def ready(config: BuildConfig) -> Built:
        asked.append(config)
        return open_build(built.folder).with_choices({"heap": 4096})

    monkeypatch.setattr("porter.dask.builds.ready_build", ready)
    chosen = build_for({"a": WITHOUT}, None, None, None)
    assert [(config.target, config.bounds_checks) for config in asked] == [("host", True)]
    arrived = found(parcel_of(chosen))
    assert arrived is not None and arrived.config["heap"] == 4096


def unpacked(parcel: Parcel, archive: bytes, cache: Path) -> Path:
    unpack(parcel, archive, cache)
    arrived = found(parcel, cache)
    assert arrived is not None
    return arrived.folder


def test_a_build_is_found_by_its_hash_or_unpacked_once(built: Build, tmp_path: Path) -> None:
    here = open_build(built.folder)
    parcel, archive, cache = parcel_of(here), packed(here), tmp_path / "cache"
    visible = found(parcel, cache)
    assert visible is not None and visible.folder == built.folder.resolve()
    parcel = attrs.evolve(parcel, folder=str(tmp_path / "elsewhere"))
    assert found(parcel, cache) is None and not cache.exists()
    with ThreadPoolExecutor(4) as pool:
        folders = list(pool.map(lambda _: unpacked(parcel, archive, cache), range(4)))
    assert set(folders) == {cache / parcel.key}
    assert sorted(path.name for path in cache.iterdir()) == [parcel.key, f"{parcel.key}.lock"]
    result = run(open_device(folders[0], "host"), ["print(threadIdx)"], 2)
    assert result.stdout[1] == b"1\n"


def test_a_damaged_build_is_replaced_and_a_damaged_archive_refused(
    built: Build, tmp_path: Path
) -> None:
    here = open_build(built.folder)
    parcel, archive = attrs.evolve(parcel_of(here), folder=""), packed(here)
    library = unpacked(parcel, archive, tmp_path) / "host" / "libgpusnek.so"
    good = library.read_bytes()
    library.write_bytes(good[:1000])
    assert found(parcel, tmp_path) is None
    assert unpacked(parcel, archive, tmp_path) == tmp_path / parcel.key
    assert library.read_bytes() == good
    other = attrs.evolve(parcel, key="0" * 64)
    with pytest.raises(ClusterMismatch, match="did not arrive"):
        unpack(other, archive, tmp_path)
    assert len(list(tmp_path.iterdir())) == 3  # the good one, and two lock files
