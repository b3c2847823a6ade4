"""A Dask cluster as the device of the service.

Each batch is a task of the cluster, so several machines judge batches at the same time. Workers
that die lose their tasks, which Dask repeats. The service stays on one machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import define

from porter.dask import connect
from porter.dask.connection import workers_of
from porter.dask.evaluation import judgements
from porter.errors import NoCluster, PorterError
from porter.evaluation.judgement import Judgement
from porter.serve.service import DeviceSource

BATCHES = 16  # tasks at a time


@define(eq=False)
class ClusterDevice:
    """A connection to a scheduler."""

    client: Any

    def close(self) -> None:
        """Close the connection; the cluster stays."""
        self.client.close()


def cluster_source(
    address: str, target: str | None = None, release: str | None = None, build: Any = None
) -> DeviceSource:
    """Return a cluster as a device.

    Args:
        address: The scheduler's address.
        target: As in `porter.dask.evaluate`.
        release: As in `porter.dask.evaluate`.
        build: As in `porter.dask.evaluate`.
    """

    def open_cluster() -> ClusterDevice:
        device = ClusterDevice(connect(address))
        try:
            workers_of(device.client, target)  # raises without workers that can do the work
        except BaseException:
            device.close()
            raise
        return device

    def judge(device: ClusterDevice, programs: Any, cases: Any, how: Any) -> Iterator[Judgement]:
        try:
            yield from judgements(
                device.client, programs, cases, how, target=target, release=release, build=build
            )
        except PorterError:
            raise
        except Exception as error:
            # A client that has lost its scheduler raises many types of exceptions.
            raise NoCluster(f"the scheduler at {address} is lost: {error}") from error

    return DeviceSource(open_cluster, judge, interruptible=False, batches=BATCHES)
