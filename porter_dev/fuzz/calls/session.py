"""Fuzz a finished build: open it, introspect it, run a campaign, save the findings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from attrs import frozen

from porter.errors import UsageError
from porter_dev.fuzz.calls import programs
from porter_dev.fuzz.calls.batch_process import BatchProcess, Opening
from porter_dev.fuzz.calls.call_campaign import CallCampaign, CallPlan, Tally
from porter_dev.fuzz.calls.findings import saved
from porter_dev.fuzz.calls.fuzz_batch import HEAP, BatchLimits
from porter_dev.fuzz.calls.inventory import Inventory
from porter_dev.fuzz.calls.programs import MANY, Generator, ProgramMaker
from porter_dev.fuzz.calls.side_effects import SideEffectGenerator
from porter_dev.fuzz.calls.size_mutation import SizeGenerator

# Programs per launch; fewer under sanitizers, since programs are slow and a fault ends a launch.
_BATCH = {"host": 192, "host-asan": 96, "cuda": 2048}
_LIMITS = {
    "host": BatchLimits(1.0, 0.2, 1.0),
    "host-asan": BatchLimits(3.0, 0.3, 3.0),
    "cuda": BatchLimits(20.0, 0.5, 5.0),
}
PROGRAM_HEAP = 256 * 1024  # bytes; the code of a program of classes takes about 100 KiB
_QUICK = {
    "host": BatchLimits(0.4, 0.1, 0.5),
    "host-asan": BatchLimits(0.6, 0.2, 1.0),
    "cuda": BatchLimits(2.0, 0.5, 3.0),
}


@frozen(kw_only=True)
class CallSession:
    """The options of a session.

    Attributes:
        folder: Folder of the build.
        target: Target, as in open_device.
        seed: Seed of the programs.
        seconds: Duration.
        count: Number of programs; 0: no limit.
        batch: Programs per launch; 0: the target's default.
        save: Folder for findings.
        known: Folder of findings that are not reported again.
        without: Regular expression; statements that match it are left out.
        sandbox: Whether programs run in a sandbox.
        programs: Whether to generate classes with side effects (side_effects.py) instead of single
            calls (programs.py).
        mutate: Folders of programs whose integers are replaced by huge ones (size_mutation.py).
            It replaces both generators.
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
    """The results of a session."""

    inventory: Inventory
    tally: Tally
    target: str

    @property
    def broken(self) -> int:
        """Number of findings other than failed bounds checks."""
        return len(self.tally.broken)

    @property
    def text(self) -> str:
        """Summary for the reader."""
        tally = self.tally
        rate = tally.undisturbed / tally.running if tally.running else 0.0
        lines = [
            f"{self.inventory.count} names to call, in {len(self.inventory.callables)} modules and"
            f" {len(self.inventory.attributes)} types",
            f"{tally.programs} programs on {self.target} in {tally.seconds:.0f} s, of which"
            f" {tally.reducing:.0f} s went into findings; {rate:.0f} a second in launches that"
            " ended by themselves",
            f"{tally.launches} launches; limits stopped {tally.late} programs",
            f"{len(tally.findings)} findings, {self.broken} without a failed bounds check,"
            f" met {tally.repeats.total()} times more; {tally.vanished} did not show again",
        ]
        return "\n".join(lines)


def _generator(session: CallSession, known: Inventory) -> programs.ProgramGenerator:
    if session.mutate:
        if session.programs:
            raise UsageError("--programs and --mutate make different programs: give one of them")
        return SizeGenerator(session.mutate, session.without)
    kind = SideEffectGenerator if session.programs else Generator
    return kind(known, session.without)


def fuzz_calls(session: CallSession, say: Callable[[str], None] = print) -> CallsDone:
    """Run `session`; Ctrl-C ends it early.

    Args:
        session: Options.
        say: Called with each finding.

    Raises:
        FuzzFailed: Introspection or the sentinels fail.
        PorterError: The build cannot be opened.
    """
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
        except KeyboardInterrupt:  # the results so far are valid
            say(CallsDone(inventory, campaign.tally, session.target).text)
            raise
    finally:
        process.close()
        if maker is not None:
            maker.close()
    return CallsDone(inventory, campaign.tally, session.target)
