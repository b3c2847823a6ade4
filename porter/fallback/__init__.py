"""The CPython fallback: run untrusted programs in restricted CPython processes.

`porter.evaluation` runs rows here that interpreters cannot run. Input: sources and encoded
arguments. Output: how each call ended, with its value and output. Values are compared elsewhere.
"""

from porter.fallback.options import Fallback, fallback_of
from porter.fallback.outcomes import FallbackOutcome
from porter.fallback.pool import Job, layers_of, outcomes

__all__ = ["Fallback", "FallbackOutcome", "Job", "fallback_of", "layers_of", "outcomes"]
