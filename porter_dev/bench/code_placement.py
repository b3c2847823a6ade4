"""Find out which function of a cubin each profiled address belongs to.

A profiler's report has no names for functions that a kernel calls, and the driver loads functions
in an order of its own. Input are the counts of a launch and the functions of the build's cubin.
Output is a `Placement`, from which `hot_code` makes tables.

Mechanism:

1. A run of addresses without a gap is one function. Reports leave out the branch to itself that
   ends a function's code, so a gap of one instruction belongs to the function.
2. A function is a candidate for a run of its size, with that branch at the same place, if execution
   counts change only between its basic blocks.
3. Calls choose among candidates. The first instruction of a function runs as often as all calls of
   it together, and more often only if there are calls through pointers. A call that was executed
   has a run of its own.

A run that keeps several candidates keeps them all, and is not matched.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain

from attrs import field, frozen

from porter.compile.object_files import DeviceCode, DeviceFunction
from porter_dev.bench.code_blocks import INSTRUCTION, CodeBlocks
from porter_dev.bench.instruction_counts import InstructionCount

GAP = 2 * INSTRUCTION  # bytes between the neighbours of one missing instruction
# Share of changes that may lie within a block: a release of the compiler may have instructions that
# split warps and that `code_blocks` does not know.
TOLERANCE = 0.05
ROUNDS = 50  # of choosing by calls; two to five suffice


@frozen(slots=False)
class Run:
    """The counts of one function that ran.

    Attributes:
        counts: The counts of its instructions, by ascending address.
        candidates: The indices of functions that the run may be; more than one if the counts do not
            tell them apart, none if the cubin has no such function.
    """

    counts: tuple[InstructionCount, ...] = field(repr=False)
    candidates: tuple[int, ...] = ()

    @property
    def function(self) -> int | None:
        """The index of the run's function; None if it was not matched."""
        return self.candidates[0] if len(self.candidates) == 1 else None

    @cached_property
    def executed(self) -> int:
        """The executed warp instructions of the run."""
        return sum(count.executed for count in self.counts)

    @cached_property
    def at(self) -> dict[int, int]:
        """The execution count of each instruction, by its index in the function."""
        first = self.counts[0].address
        return {(count.address - first) // INSTRUCTION: count.executed for count in self.counts}

    @cached_property
    def changes(self) -> frozenset[int]:
        """The instructions that were executed more or less often than the one before."""
        at = self.at
        return frozenset(i for i, n in at.items() if i - 1 in at and at[i - 1] != n)

    @property
    def end(self) -> int:
        """The index after the last instruction with counts."""
        return max(self.at) + 1


@frozen
class Placement:
    """The functions of a launch.

    Attributes:
        code: The functions of the cubin.
        runs: The runs of addresses, by ascending address.
    """

    code: DeviceCode = field(repr=False)
    runs: tuple[Run, ...] = field(repr=False)

    @property
    def matched(self) -> float:
        """The share of executed warp instructions whose function is known, 0 to 1."""
        total = sum(run.executed for run in self.runs)
        known = sum(run.executed for run in self.runs if run.function is not None)
        return known / total if total else 0.0

    def call_sums(self) -> Iterator[tuple[int, int, bool]]:
        """Yield, for each matched function, two counts that agree if the match is right.

        Yields:
            The executions of its first instruction, the executions of direct calls of it by matched
            functions, and whether calls through pointers are possible.
        """
        sums = _call_sums(self.code, ((run, run.function) for run in self.runs))
        for run in self.runs:
            if run.function is not None:
                addressed = self.code.functions[run.function].addressed
                yield run.at[0], sums[run.function], addressed


def runs_of(counts: Sequence[InstructionCount]) -> list[Run]:
    """Split counts, which ascend by address, into runs without a gap."""
    found: list[list[InstructionCount]] = []
    for count in counts:
        if found and count.address - found[-1][-1].address <= GAP:
            found[-1].append(count)
        else:
            found.append([count])
    return [Run(tuple(one)) for one in found]


def place(counts: Sequence[InstructionCount], code: DeviceCode) -> Placement:
    """Match the addresses of a launch to the functions of a cubin.

    Args:
        counts: The counts of the launch, by ascending address.
        code: The functions of the cubin that ran.
    """
    blocks = [CodeBlocks(function.code, code.tables) for function in code.functions]
    shapes: dict[tuple[int, int | None], list[int]] = defaultdict(list)
    for i, one in enumerate(blocks):
        shapes[one.size, one.trap].append(i)
        # Reports leave out the padding of kernels, so that a run ends before the last branch.
        shapes[one.trap or 0, None].append(i)
    runs = runs_of(counts)
    possible = [_candidates(run, shapes, blocks) for run in runs]
    chosen = _choose(code, runs, possible)
    placed = (Run(run.counts, tuple(sorted(some))) for run, some in zip(runs, chosen, strict=True))
    return Placement(code, tuple(placed))


def _candidates(
    run: Run, shapes: dict[tuple[int, int | None], list[int]], blocks: Sequence[CodeBlocks]
) -> set[int]:
    """Return the functions with the run's shape whose basic blocks explain its counts best."""
    missing = [i for i in range(run.end) if i not in run.at]
    bad: dict[int, int] = {}
    for i in shapes.get((run.end, missing[0] if missing else None), ()):
        bad[i] = len(run.changes - blocks[i].starts)
    least = min(bad.values(), default=0)
    if least > TOLERANCE * len(run.changes):
        return set()
    return {i for i, n in bad.items() if n == least}


def _choose(code: DeviceCode, runs: Sequence[Run], possible: Sequence[set[int]]) -> list[set[int]]:
    """Remove candidates that contradict the counts of calls, until none is left to remove.

    Invariant: a run never loses its last candidate, so an unexpected count cannot unmatch it.
    """
    possible = [set(some) for some in possible]
    for _ in range(ROUNDS):
        before = sum(map(len, possible))
        known = [next(iter(some)) if len(some) == 1 else None for some in possible]
        sums = _call_sums(code, zip(runs, known, strict=True))
        unmatched = [i for i, some in enumerate(possible) if len(some) > 1]
        calls = (code.functions[one].calls.values() for i in unmatched for one in possible[i])
        knowledge = _Knowledge(sums, _places(possible), frozenset(chain.from_iterable(calls)))
        matched = {one for one in known if one is not None}
        for i in unmatched:
            some = possible[i] - matched
            fitting = {
                one for one in some if knowledge.allows(code.functions[one], one, i, runs[i])
            }
            possible[i] = fitting or possible[i]
        # A function that was called and can be in one run alone is in that run.
        for one, where in _places(possible).items():
            if sums[one] and one not in matched and len(where) == 1:
                possible[next(iter(where))] = {one}
        if sum(map(len, possible)) == before:
            break
    return possible


@frozen
class _Knowledge:
    """The counts of matched runs, which restrict the functions of the others.

    Attributes:
        sums: Executions of direct calls by matched runs, by called function.
        places: The runs that a function may be in.
        uncertain: Functions that an unmatched run may call.
    """

    sums: Counter[int]
    places: dict[int, set[int]]
    uncertain: frozenset[int]

    def allows(self, function: DeviceFunction, one: int, i: int, run: Run) -> bool:
        """Return whether the counts of calls allow that run `i` is `function`, number `one`."""
        called, entered = self.sums[one], run.at[0]
        more = function.addressed or one in self.uncertain  # calls that `sums` does not have
        if called > entered or (called < entered and not more):
            return False
        executed = (to for at, to in function.calls.items() if run.at.get(at // INSTRUCTION))
        return all(to == one or self.places.get(to, set()) - {i} for to in executed)


def _places(possible: Sequence[set[int]]) -> dict[int, set[int]]:
    """Return the runs that each function may be in."""
    found: dict[int, set[int]] = defaultdict(set)
    for i, some in enumerate(possible):
        for one in some:
            found[one].add(i)
    return found


def _call_sums(code: DeviceCode, known: Iterable[tuple[Run, int | None]]) -> Counter[int]:
    """Return how often matched functions called each function directly."""
    sums: Counter[int] = Counter()
    for run, one in known:
        if one is not None:
            for at, target in code.functions[one].calls.items():
                sums[target] += run.at.get(at // INSTRUCTION, 0)
    return sums
