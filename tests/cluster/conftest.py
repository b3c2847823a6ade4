from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from porter.run import Device, open_device

if TYPE_CHECKING:  # a machine for GPU tests cannot read C
    from porter.pipeline import Build


@pytest.fixture(scope="session")
def client() -> Iterator[Any]:
    """Yield a cluster of two worker processes without a GPU."""
    distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
    import dask

    options = {
        "distributed.scheduler.allowed-failures": 1,
        "distributed.comm.timeouts.connect": "20s",
        # The cluster drops a lost worker that has not returned within this time.
        "distributed.deploy.lost-worker-timeout": "10 minutes",
    }
    with (
        dask.config.set(options),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as found,
    ):
        yield found


@pytest.fixture(scope="session")
def here(built: Build) -> Device:
    return open_device(built.folder, "host")


def killing_one(client: Any) -> tuple[list[int], Callable[[int], None]]:
    """Return a progress callback that kills a worker at its first call, and the killed process."""
    before = client.run(os.getpid)
    killed: list[int] = []

    def kill_one(done: int) -> None:
        if not killed:
            killed.append(next(iter(before.values())))
            os.kill(killed[0], signal.SIGKILL)

    return killed, kill_one
