"""Errors of work that is spread over a Dask cluster: exit codes 61 to 69."""

from __future__ import annotations

from typing import Any

from porter.errors.base import PorterError


class NoCluster(PorterError):
    """No scheduler answers at an address, or it has no workers."""

    exit_code = 61
    meaning = "no Dask scheduler answers, or it has no workers"


class ClusterMismatch(PorterError):
    """Workers of a cluster have another porter or Python, or lack the GPU that was asked for."""

    exit_code = 62
    meaning = "workers of a Dask cluster cannot do this work"


class ClusterFailed(PorterError):
    """Work on a cluster failed as often as it may.

    result: what was done before: Judgements, in the order of programs, or nothing.
    """

    exit_code = 63
    meaning = "work on a Dask cluster failed, again and again"

    def __init__(self, message: str, *, hint: str | None = None, result: Any = ()) -> None:
        super().__init__(message, hint=hint)
        self.result = result
