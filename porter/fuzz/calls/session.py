"""A campaign on a finished build: opens it, introspects it, runs, keeps what was found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from attrs import frozen

from porter.errors import UsageError
from porter.fuzz.calls import making
from porter.fuzz.calls.campaign import CallCampaign, CallPlan, Tally
from porter.fuzz.calls.findings import saved
from porter.fuzz.calls.inventory import Inventory
from porter.fuzz.calls.making import MANY, ProgramMaker
from porter.fuzz.calls.process import BatchProcess, Opening
from porter.fuzz.calls.programs import Generator
from porter.fuzz.calls.side_effects import SideEffectGenerator
from porter.fuzz.calls.sizes import SizeGenerator
from porter.fuzz.calls.trial import HEAP, TrialLimits

# Programs a launch; under sanitizers programs are slow, and every fault ends a launch.
_BATCH = {"host": 192, "host-asan": 96, "cuda": 2048}
_LIMITS = {
    "host": TrialLimits(1.0, 0.2, 1.0),
    "host-asan": TrialLimits(3.0, 0.3, 3.0),
    "cuda": TrialLimits(20.0, 0.5, 5.0),
}
PROGRAM_HEAP = 256 * 1024  # for the code of a program of classes, about 100 KiB
_QUICK = {
    "host": TrialLimits(0.4, 0.1, 0.5),
    "host-asan": TrialLimits(0.6, 0.2, 1.0),
    "cuda": TrialLimits(2.0, 0.5, 3.0),
}


@frozen(kw_only=True)
class CallSession:
    """What to fuzz, and how long. target: as open_device has it. batch 0: the target's own.

    without: no statement has what this regular expression matches. sandbox: programs run in one.
    programs: classes with side effects (side_effects.py) instead of single calls (programs.py).
    mutate: folders of programs whose integers become huge (sizes.py), instead of both.
    """

    folder: Path
    target: str = "host"
    seed: str = "1"
    seconds: float = 600.0
    count: int = 0
    batch: int = 0
    save: Path | None = None
    known: Path | None = None
    without: str = ""
    sandbox: bool = False
    programs: bool = False
    mutate: tuple[Path, ...] = ()


@frozen
class CallsDone:
    """What a session came to."""

    inventory: Inventory
    tally: Tally
    target: str

    @property
    def broken(self) -> int:
        """Findings that count: those that no fence held."""
        return len(self.tally.broken)

    @property
    def text(self) -> str:
        """Figures for people."""
        tally = self.tally
        rate = tally.undisturbed / tally.running if tally.running else 0.0
        lines = [
            f"{self.inventory.count} names to call, in {len(self.inventory.callables)} modules and"
            f" {len(self.inventory.attributes)} types",
            f"{tally.programs} programs on {self.target} in {tally.seconds:.0f} s, of which"
            f" {tally.reducing:.0f} s went into findings; {rate:.0f} a second in launches that"
            " ended by themselves",
            f"{tally.launches} launches; limits stopped {tally.late} programs",
            f"{len(tally.findings)} findings, {self.broken} of which no fence held,"
            f" met {tally.repeats.total()} times more; {tally.vanished} did not show again",
        ]
        return "\n".join(lines)


def _generator(session: CallSession, known: Inventory) -> making.Generator:
    if session.mutate:
        if session.programs:
            raise UsageError("--programs and --mutate make different programs: give one of them")
        return SizeGenerator(session.mutate, session.without)
    kind = SideEffectGenerator if session.programs else Generator
    return kind(known, session.without)


def fuzz_calls(session: CallSession, say: Callable[[str], None] = print) -> CallsDone:
    """Run `session`; Ctrl-C ends it early. Raises FuzzFailed, and what opening the build raises."""
    known = set()
    if session.known is not None:
        known = {finding.key for _, finding in saved(session.known)}
    maker: ProgramMaker | None = None
    process = BatchProcess(Opening(session.folder, session.target, session.sandbox))

    def keep(text: str) -> None:
        say(text)
        if session.save is not None:
            campaign.tally.findings[-1].save(session.save)

    try:
        inventory = process.inventory()
        plan = CallPlan(
            session.seed,
            session.seconds,
            session.count,
            session.batch or _BATCH[session.target],
            limits=_LIMITS[session.target],
            quick=_QUICK[session.target],
            heap=PROGRAM_HEAP if session.programs or session.mutate else HEAP,
        )
        maker = ProgramMaker(_generator(session, inventory), plan.batch >= MANY)
        campaign = CallCampaign(process, maker, plan, known, keep)
        try:
            campaign.run()
        except KeyboardInterrupt:  # what it came to by then is worth as much
            say(CallsDone(inventory, campaign.tally, session.target).text)
            raise
    finally:
        process.close()
        if maker is not None:
            maker.close()
    return CallsDone(inventory, campaign.tally, session.target)
