"""Run a campaign: batches of programs from a seed, and each new fault reduced to a finding."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence

from attrs import define, field, frozen

from porter.errors import FuzzFailed
from porter_dev.fuzz.calls.batch_process import BatchProcess, Launches
from porter_dev.fuzz.calls.faults import NOT_RUN, Fault, differing, faults
from porter_dev.fuzz.calls.findings import CallFinding, callee, reduce, smallest
from porter_dev.fuzz.calls.fuzz_batch import (
    DEFAULT,
    HEAP,
    STOPPED,
    Answer,
    BatchEnded,
    BatchLimits,
    BatchStuck,
    CallBatch,
)
from porter_dev.fuzz.calls.programs import CallProgram

QUICK = BatchLimits(seconds=0.4, grace=0.1, margin=0.5)
TOGETHER = 4  # maximum programs of a finding of kind "stuck"
SMALLEST = 8  # minimum programs per launch when faults are frequent
REPEATED = 16  # one batch in 16 runs twice; both runs must end and print equally
Say = Callable[[str], None]


@frozen
class CallPlan:
    """The parameters of a campaign; it ends with `seconds` or `count`, whichever comes first.

    Attributes:
        seed: Seed of the programs.
        seconds: Duration.
        count: Number of programs; 0: no limit.
        batch: Programs per launch.
        steps: Step budget of each program, if the build has budgets.
        limits: Time limits of a launch.
        quick: Time limits of a launch with a single program.
    """

    seed: str = "1"
    seconds: float = 60.0
    count: int = 0
    batch: int = 192
    steps: int = 500_000
    limits: BatchLimits = DEFAULT
    quick: BatchLimits = QUICK
    reducing: float = 30.0  # seconds for each finding
    heap: int = HEAP  # bytes of each interpreter


@define
class Tally:
    """The results of a campaign; `programs` counts the programs that ended by themselves."""

    programs: int = 0
    launches: int = 0
    late: int = 0  # programs that the launch's limit stopped
    vanished: int = 0  # launches that could not be stopped, but ended when repeated
    seconds: float = 0.0
    reducing: float = 0.0  # share of these seconds that reductions took
    undisturbed: int = 0  # programs of launches that ended by themselves
    running: float = 0.0  # seconds of these launches
    statuses: Counter[str] = field(factory=Counter)
    findings: list[CallFinding] = field(factory=list)
    repeats: Counter[tuple[str, str]] = field(factory=Counter)  # faults met again, by key

    @property
    def broken(self) -> list[CallFinding]:
        """Findings other than failed bounds checks."""
        return [finding for finding in self.findings if finding.kind != "fence"]


@define
class CallCampaign:
    """A campaign on one build; findings with keys in `known` are not reported again."""

    launches: Launches
    make: Callable[[Sequence[str]], list[CallProgram]]  # programs of seeds
    plan: CallPlan = CallPlan()
    known: set[tuple[str, str]] = field(factory=set)
    say: Say = print
    tally: Tally = field(factory=Tally)
    _sentinel: tuple[str, bytes] = field(init=False, default=("", b""))
    _end: float = field(init=False, default=0.0)
    _size: int = field(init=False, default=0)
    _made: int = field(init=False, default=0)

    def run(self) -> Tally:
        """Run the campaign. Raises FuzzFailed if the sentinels fail among empty programs."""
        begun = time.monotonic()
        self._end = begun + self.plan.seconds
        try:
            return self._run()
        finally:
            self.tally.seconds = time.monotonic() - begun

    def _run(self) -> Tally:
        self._sentinel = self._alone()
        self._size = self.plan.batch
        batch = self._batch()
        number = 0
        while batch and self._going:
            following, answer = self._both(batch)
            self._take(batch, answer)
            if isinstance(answer, BatchEnded):
                self._size = min(self.plan.batch, 2 * self._size)
                if number % REPEATED == 0:
                    self._repeat(batch, answer)
            else:  # a fault ends its launch, so smaller launches lose fewer programs
                self._size = max(self._size // 2, SMALLEST)
            batch = following
            number += 1
        return self.tally

    @property
    def _going(self) -> bool:
        return time.monotonic() < self._end

    @property
    def _patience(self) -> float:
        """Seconds for a reduction."""
        return min(self.plan.reducing, max(self._end - time.monotonic(), 5.0))

    def _batch(self) -> list[CallProgram]:
        """Generate the next programs; none after the last."""
        end = self._made + self._size
        end = min(end, self.plan.count) if self.plan.count else end
        seeds = [f"{self.plan.seed}:{i}" for i in range(self._made, end)]
        self._made = end
        return self.make(seeds)

    def _both(self, batch: list[CallProgram]) -> tuple[list[CallProgram], Answer]:
        """Run `batch`; meanwhile generate the next one, if a process runs the launch."""
        wanted = self._of(batch)
        if not isinstance(self.launches, BatchProcess):
            return self._batch(), self.launches.run(wanted)
        self.launches.submit(wanted)
        following = self._batch()
        return following, self.launches.answer(wanted)

    def _of(self, programs: Sequence[CallProgram], limits: BatchLimits | None = None) -> CallBatch:
        sources = tuple(program.encoded for program in programs)
        return CallBatch(sources, limits or self.plan.limits, self.plan.steps, heap=self.plan.heap)

    def _alone(self) -> tuple[str, bytes]:
        answer = self.launches.run(CallBatch((b"pass",) * 8, self.plan.limits))
        if not isinstance(answer, BatchEnded) or len(answer.sentinels) != 1:
            raise FuzzFailed(f"sentinels among empty programs failed: {answer}")
        (only,) = answer.sentinels
        if only[0] != "GPUSNEK_OK":
            raise FuzzFailed(f"a sentinel alone ends with {only[0]}: {only[1][-300:]!r}")
        return only

    def _take(self, programs: Sequence[CallProgram], answer: Answer) -> None:
        """Judge `answer`; if the launch crashed, bisect `programs` to find the one at fault."""
        self.tally.launches += 1
        found = faults(answer, self._sentinel)
        if isinstance(answer, BatchEnded):
            self._count(answer)
            for fault in found:
                self._found(programs if fault.program is None else [programs[fault.program]], fault)
            self._go_on(programs, answer)
            return
        (fault,) = found
        if len(programs) == 1:
            self._found(programs, fault)
            return
        if isinstance(answer, BatchStuck) and fault.program is not None:
            rest = list(programs)
            culprit = rest.pop(fault.program)
            self._found([culprit], fault)
            self._again(rest[fault.program :])
            return
        middle = len(programs) // 2
        before = self.tally.repeats.total() + len(self.tally.findings)
        self._again(programs[:middle])
        self._again(programs[middle:])
        if before == self.tally.repeats.total() + len(self.tally.findings):
            self._found(programs, fault)  # no half has the fault: several programs cause it

    def _again(self, programs: Sequence[CallProgram]) -> None:
        if programs and self._going:
            self._take(programs, self.launches.run(self._of(programs)))

    def _count(self, answer: BatchEnded) -> None:
        late = sum(status in (STOPPED, NOT_RUN) for status in answer.statuses)
        self.tally.late += late
        self.tally.programs += len(answer.statuses) - late
        self.tally.statuses.update(answer.statuses)
        if not answer.interrupted:
            self.tally.undisturbed += len(answer.statuses)
            self.tally.running += answer.seconds

    def _go_on(self, programs: Sequence[CallProgram], answer: BatchEnded) -> None:
        """Run the programs after the one at which the launch's limit stopped."""
        late = [i for i, status in enumerate(answer.statuses) if status in (STOPPED, NOT_RUN)]
        if answer.interrupted and len(late) > 1:
            self._again([programs[i] for i in late[1:]])

    def _repeat(self, programs: Sequence[CallProgram], first: BatchEnded) -> None:
        second = self.launches.run(self._of(programs))
        if isinstance(second, BatchEnded):
            sources = [program.encoded for program in programs]
            for fault in differing(first, second, sources):
                assert fault.program is not None
                self._found([programs[fault.program]], fault)

    def _found(self, programs: Sequence[CallProgram], fault: Fault) -> None:
        """Reduce a fault of `programs` and record it, unless it is known."""
        if fault.place and fault.key in self.known:
            self.tally.repeats[fault.key] += 1
            return
        begun = time.monotonic()
        finding = self._reduced(programs, fault)
        self.tally.reducing += time.monotonic() - begun
        if finding is None:
            self.tally.vanished += 1
            return
        if finding.key in self.known:
            self.tally.repeats[finding.key] += 1
            return
        self.known |= {finding.key, fault.key} if fault.place else {finding.key}
        self.tally.findings.append(finding)
        self.say(f"{finding.kind} {finding.place}: {finding.what}\n{finding.source}")

    def _reduced(self, programs: Sequence[CallProgram], fault: Fault) -> CallFinding | None:
        """Return the finding of `fault`; None for a launch that ends when repeated."""
        if fault.kind == "differs":
            return CallFinding(fault.kind, programs[0].seed, fault.what, programs[0].source)
        search = _Recheck(self, fault)
        few = programs
        if not search.holds(few, self.plan.quick):
            search.limits = self.plan.limits
            if not search.holds(few):
                if fault.kind == "stuck":
                    return None
                source = "\n".join(program.source for program in few)
                where = fault.place or few[0].seed
                return CallFinding(fault.kind, where, f"{fault.what} (once)", source, fault.report)
        if len(few) > 1:
            few = smallest(few, search.holds)
        if len(few) > TOGETHER and fault.kind == "stuck":
            return None  # many programs together are merely slow
        if len(few) > 1:
            source = "\n# and in another interpreter:\n".join(program.source for program in few)
        else:
            source = reduce(few[0], lambda one: search.holds([one]), self._patience)
        last = search.last
        where = fault.place or callee(source)
        return CallFinding(fault.kind, where, last.what, source, last.report or fault.report)

    def faults_of(self, programs: Sequence[CallProgram], limits: BatchLimits) -> list[Fault]:
        """Return the faults of a launch of `programs`."""
        return faults(self.launches.run(self._of(programs, limits)), self._sentinel)


@define
class _Recheck:
    """A check that programs still have a fault: its kind, and its place if a report has one."""

    campaign: CallCampaign
    fault: Fault
    limits: BatchLimits = field(init=False)
    last: Fault = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.limits, self.last = self.campaign.plan.quick, self.fault

    def holds(self, programs: Sequence[CallProgram], limits: BatchLimits | None = None) -> bool:
        """Launch `programs`; return whether they have the fault."""
        for other in self.campaign.faults_of(programs, limits or self.limits):
            if other.kind == self.fault.kind and self.fault.place in ("", other.place):
                self.last = other
                return True
        return False
