"""Connect to a scheduler and check that its workers can run porter."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import Any

from attrs import frozen

from porter.base import arguments
from porter.errors import (
    ClusterMismatch,
    MissingPackage,
    NoCluster,
    NoGpu,
    PorterError,
    UsageError,
    WrongType,
)
from porter.version import __version__

PATIENCE = 5.0  # seconds to wait for the scheduler, and for the first worker
INSTALL = "Install it on the client and on all workers: pip install 'gpusnek-porter[dask]'."


@frozen
class Abilities:
    """The abilities of a worker: versions, number of visible GPUs, number of parallel tasks."""

    porter: str
    python: str
    gpus: int
    nthreads: int


def abilities(dask_worker: Any) -> Abilities:
    """Return this worker's abilities. Dask's Client.run passes `dask_worker` by its name."""
    from porter.run.device.cuda import gpu_count

    try:
        gpus = gpu_count()
    except PorterError:
        gpus = 0
    python = "{}.{}".format(*sys.version_info)
    return Abilities(__version__, python, gpus, int(dask_worker.state.nthreads))


def connect(address: str, timeout: float = PATIENCE) -> Any:
    """Return a distributed.Client of the scheduler at `address`, such as tcp://10.0.0.1:8786.

    Raises:
        NoCluster: The scheduler did not answer within `timeout` seconds.
        MissingPackage: `distributed` is not installed.
        WrongType, UsageError: An argument is invalid.
    """
    arguments.text(address, "scheduler")
    timeout = arguments.seconds(timeout, "timeout")
    distributed = package()
    try:
        return distributed.Client(address, timeout=timeout, set_as_default=False)
    except (OSError, TimeoutError, ValueError, TypeError) as error:
        raise NoCluster(
            f"no Dask scheduler answers at {address}: {error}",
            hint="`dask scheduler` starts one, and prints its address.",
        ) from error


def package() -> Any:
    """Return the module `distributed`. Raises MissingPackage."""
    try:
        import distributed
    except ImportError as error:
        raise MissingPackage(f"distributed does not load: {error}", hint=INSTALL) from error
    return distributed


def check_client(client: Any) -> Any:
    """Return `client` if it is an open, blocking distributed.Client.

    Raises:
        WrongType: It is another object, or asynchronous.
        UsageError: It is closed.
        MissingPackage: `distributed` is not installed.
    """
    if not isinstance(client, package().Client):
        raise WrongType(
            f"client: {type(client).__name__} is no distributed.Client",
            hint="porter.dask.connect(ADDRESS) makes one.",
        )
    if client.asynchronous:
        raise WrongType("client: an asynchronous one does not block, as it has to here")
    if client.status in ("closing", "closed"):
        raise UsageError("client: it is closed", hint="porter.dask.connect(ADDRESS) makes one.")
    return client


def workers_of(client: Any, target: str | None, timeout: float = PATIENCE) -> dict[str, Abilities]:
    """Return the workers' abilities by address, after the first worker has connected.

    Args:
        client: A distributed.Client.
        target: The target that all workers must run.
        timeout: Seconds to wait for the first worker.

    Raises:
        NoCluster: There are no workers.
        ClusterMismatch: A worker has other versions, or cannot run porter.
        NoGpu: `target` is "cuda", and a worker has no GPU.
    """
    end = time.monotonic() + timeout
    found: dict[str, Any] = {}
    while not found:
        try:
            client.wait_for_workers(1, timeout=max(0.1, end - time.monotonic()))
        except TimeoutError as error:
            where = client.scheduler.address if client.scheduler else "this address"
            raise NoCluster(
                f"the scheduler at {where} has no workers",
                hint="`dask worker ADDRESS` starts one, `dask cuda worker ADDRESS` for each GPU.",
            ) from error
        answers = client.run(abilities, on_error="return")
        # An OSError means that the worker has left meanwhile.
        found = {at: said for at, said in answers.items() if not isinstance(said, OSError)}
    check_workers(found, target)
    return found


def check_workers(found: Mapping[str, Abilities | BaseException], target: str | None) -> None:
    """Raise ClusterMismatch or NoGpu unless all `found` workers can work for this client."""
    mine = (__version__, "{}.{}".format(*sys.version_info))
    for address, worker in found.items():
        if not isinstance(worker, Abilities):
            raise ClusterMismatch(f"worker {address} cannot run porter: {worker}", hint=INSTALL)
        theirs = (worker.porter, worker.python)
        if theirs != mine:
            raise ClusterMismatch(
                f"worker {address} has porter {theirs[0]} and Python {theirs[1]}, this client "
                f"porter {mine[0]} and Python {mine[1]}",
                hint="Install the same on all machines.",
            )
    without = [address for address, worker in found.items() if not getattr(worker, "gpus", 0)]
    if target == "cuda" and without:
        raise NoGpu(
            f"{len(without)} of {len(found)} workers have no GPU: {', '.join(without[:5])}",
            hint="Leave target out: workers without a GPU run the host twin, to the same answer.",
        )


def target_for(workers: Mapping[str, Abilities]) -> str:
    """Return the target of a build for these workers: host, cuda or all."""
    gpus = {worker.gpus > 0 for worker in workers.values()}
    if gpus == {True}:
        return "cuda"
    return "all" if True in gpus else "host"
