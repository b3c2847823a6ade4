"""Measurements of reconvergence policies: which one the next launch of a program uses.

Problem: which diverged lanes of a warp should run first depends on the program, and only whole runs
tell (templates/runtime/policies.cuh).

Mechanism: the first launch of a program measures the default policy. In the second one some warps
try the other policies. Later launches use the best one. A launch now and then tries again, because
the program's data may have changed. The measurements stay in device memory: a launch adds to one
array, and later ones read it, so the host never waits for them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any

from attrs import define, field, frozen

MEASURED, TRIED = "MEASURED", "TRIED"  # policies of launch.h
# Policies that a launch can be forced to use, by their option (launch/options.py).
FORCED = {
    "deepest": "DEEPEST",
    "least": "LEAST",
    "deepest-most": "DEEPEST_MOST",
    "most": "MOST",
    "random": "RANDOM",
}
MOST_PROGRAMS = 256
AGAIN = 16  # launches of a program whose number is a power of this try all policies again


@frozen
class Choice:
    """The policy of a launch.

    Attributes:
        policy: MEASURED or TRIED.
        known: Measurements that the launch reads; None: it uses the default policy.
        sums: Zeros to which the launch adds its measurements; None: it does not measure.
    """

    policy: str
    known: Any = None
    sums: Any = None


@define
class _ProgramPolicies:
    launches: int = 0
    known: Any = None  # the latest measurements of all policies that were tried


@define(eq=False)
class PolicyCache:
    """The measurements of programs on one device; the least recently used are dropped.

    Attributes:
        zeros: Allocates zeroed measurements in device memory.
    """

    zeros: Callable[[], Any]
    _programs: OrderedDict[Hashable, _ProgramPolicies] = field(factory=OrderedDict, init=False)
    _lock: Lock = field(factory=Lock, init=False)

    def next(self, program: Hashable) -> Choice:
        """Choose the policy of the next launch of `program`."""
        with self._lock:
            kept = self._programs.setdefault(program, _ProgramPolicies())
            self._programs.move_to_end(program)
            if len(self._programs) > MOST_PROGRAMS:
                self._programs.popitem(last=False)
            number = kept.launches
            kept.launches += 1
            known = kept.known
            if not is_measured(number):
                return Choice(MEASURED, known)
            kept.known = self.zeros()
            return Choice(MEASURED if known is None else TRIED, known, kept.known)


def is_measured(number: int) -> bool:
    """Return whether the launch with this number, from 0, of a program measures policies."""
    while number > 1 and number % AGAIN == 0:
        number //= AGAIN
    return number <= 1
