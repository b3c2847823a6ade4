"""Errors of work on a Dask cluster: exit codes 61 to 69."""

from __future__ import annotations

from typing import Any

from porter.errors.base import PorterError


class NoCluster(PorterError):
    """No scheduler answers at the address, or it has no workers."""

    exit_code = 61
    meaning = "no Dask scheduler answers, or it has no workers"


class ClusterMismatch(PorterError):
    """Workers have another version of porter or Python, or lack the required GPU."""

    exit_code = 62
    meaning = "workers of a Dask cluster cannot do this work"


class ClusterFailed(PorterError):
    """Work on a cluster failed in all permitted attempts.

    Attributes:
        result: Results so far: Judgements in the order of programs; empty without any.
    """

    exit_code = 63
    meaning = "work on a Dask cluster failed, again and again"

    def __init__(self, message: str, *, hint: str | None = None, result: Any = ()) -> None:
        super().__init__(message, hint=hint)
        self.result = result
