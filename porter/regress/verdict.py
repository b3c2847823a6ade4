"""Reduce a regression run to one error, in order of precedence: tool, upstream, wrong result."""

from __future__ import annotations

from collections.abc import Sequence

from porter.errors import (
    ConformanceRegression,
    LaunchFailed,
    PorterError,
    SmokeFailed,
    UpstreamChange,
)
from porter.regress.compare import Changes
from porter.regress.model import ReleaseRun

_WRONG = (SmokeFailed, ConformanceRegression, LaunchFailed)


def verdict(runs: Sequence[ReleaseRun], changes: Sequence[Changes]) -> PorterError | None:
    """Return the error to exit with, or None if every release is good.

    A failure of a tool or of this machine comes first, since it leaves the release untested. Then
    come upstream changes that porter cannot handle, then wrong results.
    """
    errors = [error for run in runs for error in run.errors]
    tools = [error for error in errors if not isinstance(error, (UpstreamChange, *_WRONG))]
    upstream = [error for error in errors if isinstance(error, UpstreamChange)]
    wrong = [error for error in errors if isinstance(error, _WRONG)]
    failing = [(change.release, test) for change in changes for test in change.failing]
    if failing:
        release, test = failing[0]
        more = f" and {len(failing) - 1} more" if len(failing) > 1 else ""
        wrong.append(
            ConformanceRegression(
                f"newly failing: {test.where} of {release} ({test.before} before){more}",
                hint="The report names each. What this release rightly no longer passes goes onto "
                "the skip list (porter/conformance/skips.toml) with its reason.",
            )
        )
    return next(iter([*tools, *upstream, *wrong]), None)
