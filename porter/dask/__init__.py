"""Run programs and evaluations on a Dask cluster (docs/devices.md).

Dask's `distributed` schedules tasks, moves them between workers and repeats failed ones. This
package divides the work into tasks, ships builds to workers and merges results.
"""

from porter.dask.connecting import connect
from porter.dask.evaluating import evaluate
from porter.dask.running import run

__all__ = ["connect", "evaluate", "run"]
