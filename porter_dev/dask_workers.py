"""Start a Dask cluster of worker processes on this machine, each with a GPU of its own.

Benchmarks and tests use it. `dask_cuda.LocalCUDACluster` does the same, and is not a dependency.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

STARTING = 60  # seconds
ENDING = 20  # seconds


@contextmanager
def workers(count: int, threads: int = 1) -> Iterator[Any]:
    """Yield a client of a scheduler with `count` worker processes.

    Args:
        count: Worker processes. Process k sees GPU k only, if there is one.
        threads: Threads per worker.

    Raises:
        ImportError: The package `distributed` is missing.
    """
    import distributed

    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=50) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        command = [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address]
        processes = [
            subprocess.Popen(
                [*command, "--nthreads", str(threads), "--no-dashboard"],
                env={**os.environ, "CUDA_VISIBLE_DEVICES": str(k)},
                stderr=subprocess.DEVNULL,
            )
            for k in range(count)
        ]
        try:
            client.wait_for_workers(count, timeout=STARTING)
            yield client
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.wait(ENDING)
