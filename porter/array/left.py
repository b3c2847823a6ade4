"""What the last call of an array left."""

from __future__ import annotations

from typing import Any

import numpy as np

from porter.array.exceptions import Exceptions
from porter.array.outcome import Outcome
from porter.array.runner import Runner
from porter.run import Stream


class Left:
    """Outputs and exceptions of the last exec or eval, which is waited for.

    All raise UsageError if there was none.
    """

    _runner: Runner

    @property
    def outcome(self) -> Outcome:
        """All of it."""
        return self._runner.outcome()

    @property
    def stdout(self) -> Stream:
        """What was printed: `stdout[i]` by one interpreter, `stdout.groups` merged."""
        return self.outcome.stdout

    @property
    def stderr(self) -> Stream:
        """As stdout, of stderr, where tracebacks go too."""
        return self.outcome.stderr

    @property
    def exceptions(self) -> Exceptions:
        """The different exceptions, the most frequent first."""
        return self.outcome.exceptions

    @property
    def failed(self) -> np.ndarray[Any, Any]:
        """Which interpreters an exception ended (n bools, numpy)."""
        return self.outcome.failed
