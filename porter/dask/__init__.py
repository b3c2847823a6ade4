"""Run programs and evaluations on a Dask cluster (docs/how-to/devices.md).

Dask's `distributed` schedules tasks, moves them between workers and repeats failed ones. This
package divides the work into tasks, ships builds to workers and merges results.
"""

from porter.dask.connection import connect
from porter.dask.evaluation import evaluate
from porter.dask.launches import run

__all__ = ["connect", "evaluate", "run"]
