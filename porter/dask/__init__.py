"""Programs and arrays of interpreters on a Dask cluster: docs/devices.md.

Dask's `distributed` does the spreading, stealing and repeating; what is here cuts work, ships
builds and puts answers together.
"""

from porter.dask.connecting import connect
from porter.dask.evaluating import evaluate
from porter.dask.running import run

__all__ = ["connect", "evaluate", "run"]
