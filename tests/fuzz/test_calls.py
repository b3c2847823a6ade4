"""The fuzzer of hostile calls: its generator, verdicts and reducer, and a short run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import attrs
import numpy as np
import pytest
from click.testing import CliRunner

from porter.base import paths
from porter.config import BuildConfig
from porter.errors import FuzzFailed, UsageError
from porter.pipeline import build
from porter.run import open_device, run
from porter.sync.lock import newest_release
from porter_dev.cli import fuzz
from porter_dev.fuzz.calls import batch_process, fuzz_batch
from porter_dev.fuzz.calls.call_campaign import CallCampaign, CallPlan
from porter_dev.fuzz.calls.faults import differing, faults, place
from porter_dev.fuzz.calls.findings import CallFinding, callee, reduce, saved
from porter_dev.fuzz.calls.fuzz_batch import (
    SIZES,
    Answer,
    BatchDied,
    BatchEnded,
    BatchLimits,
    BatchStuck,
    CallBatch,
    launch_batch,
    places,
)
from porter_dev.fuzz.calls.inventory import Inventory, inventory
from porter_dev.fuzz.calls.programs import CallProgram, Generator, ProgramMaker, Statement, parts_of
from porter_dev.fuzz.calls.recipes import EXPRESSIONS, STATEMENTS
from porter_dev.fuzz.calls.session import CallSession, fuzz_calls

FINDINGS = Path(__file__).parent / "findings"
KNOWN = Inventory(
    {"builtins": ("len", "sum"), "io": ("BytesIO",)},
    {"list": ("append", "sort")},
    {"io": ("BytesIO",)},
)
NEXT = "\n "  # the prefix of each line of a recipe with several
SENTINEL = ("GPUSNEK_OK", b"1\n")
REPORT = """\
==7==ERROR: AddressSanitizer: SEGV on unknown address
    #0 0x7f00 in __interceptor_memset ../../libsanitizer/asan.cpp:9
    #1 0x7f01 in mp_seq_multiply(void const*, unsigned long) /b/py/sequence.cpp:30
    #2 0x7f02 in list_binary_op /b/py/objlist.cpp:9
"""


def ended(batch: CallBatch, **changes: Any) -> BatchEnded:
    """Return a successful launch of `batch`, with `changes`."""
    n = len(batch.sources)
    good = BatchEnded(("GPUSNEK_OK",) * n, (b"",) * n, frozenset([SENTINEL]), False, 0.1)
    return attrs.evolve(good, **changes)


class Planted:
    """Fake launches that succeed unless a source contains the planted fault."""

    def __init__(self, answer: Callable[[CallBatch], Answer | None]) -> None:
        self.answer, self.launches = answer, 0

    def run(self, batch: CallBatch) -> Answer:
        self.launches += 1
        return self.answer(batch) or ended(batch)


def campaign(answer: Callable[[CallBatch], Answer | None], count: int = 96) -> CallCampaign:
    plan = CallPlan(seed="t", count=count, batch=32)
    return CallCampaign(
        Planted(answer), ProgramMaker(Generator(KNOWN)), plan, say=lambda text: None
    )


def test_what_ctrl_c_ends_has_its_figures() -> None:
    def interrupted(batch: CallBatch) -> Answer | None:
        if running.tally.launches > 1:
            raise KeyboardInterrupt
        return None

    running = campaign(interrupted)
    with pytest.raises(KeyboardInterrupt):
        running.run()
    assert running.tally.programs > 0 and running.tally.seconds > 0


def having(batch: CallBatch, *texts: bytes) -> list[int]:
    return [i for i, s in enumerate(batch.sources) if all(text in s for text in texts)]


def test_one_seed_gives_one_program() -> None:
    one, other = (Generator(KNOWN).program("7:1").source for _ in range(2))
    assert one == other and one != Generator(KNOWN).program("7:2").source
    assert len(one) < 16_000


def test_several_processes_make_the_programs_that_one_makes() -> None:
    seeds = [str(number) for number in range(600)]
    maker = ProgramMaker(Generator(KNOWN), many=True)
    try:
        assert maker(seeds) == ProgramMaker(Generator(KNOWN))(seeds)
    finally:
        maker.close()


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_every_statement_is_one_and_can_be_compiled() -> None:
    generator = Generator(KNOWN)
    texts = set()
    for number in range(400):
        program = generator.program(str(number))
        texts |= {statement.text for statement in program.statements}
        compile(program.source.encode("utf-8", "surrogatepass"), "calls", "exec")
    assert len(texts) > 3000


def test_one_interpreter_in_four_is_a_sentinel() -> None:
    which, where = places(10)
    assert [which[at] - 1 for at in where] == list(range(10))
    assert [int(i) for i in (which == 0).nonzero()[0]] == [0, 4, 8, 12, 14]


def test_a_report_names_the_function_at_fault_and_its_caller() -> None:
    assert place(REPORT) == "mp_seq_multiply<list_binary_op"
    assert place("Segmentation fault") == ""


def test_every_outcome_is_known() -> None:
    batch = CallBatch((b"a", b"b", b"c"))

    def kinds(answer: Answer) -> list[tuple[str, int | None]]:
        return [(fault.kind, fault.program) for fault in faults(answer, SENTINEL)]

    assert kinds(ended(batch)) == []
    assert kinds(BatchDied("SIGSEGV", REPORT)) == [("died", None)]
    assert kinds(BatchStuck((2,))) == [("stuck", 2)]
    assert kinds(BatchStuck((0, 1))) == [("stuck", None)]
    for status in ("GPUSNEK_STATUS_ABORT", "GPUSNEK_STATUS_CANARY", "GPUSNEK_STATUS_NOT_RUN"):
        statuses = ("GPUSNEK_OK", status, "GPUSNEK_EXCEPTION")
        assert kinds(ended(batch, statuses=statuses)) == [("broken", 1)]
    fenced = ended(batch, statuses=("GPUSNEK_OK", "GPUSNEK_OK", "GPUSNEK_STATUS_OUT_OF_BOUNDS"))
    assert kinds(fenced) == [("fence", 2)]
    changed = frozenset([SENTINEL, ("GPUSNEK_OK", b"2\n")])
    assert kinds(ended(batch, sentinels=changed)) == [("sentinel", None)]
    late = frozenset([SENTINEL, ("GPUSNEK_STATUS_NOT_RUN", b"")])
    assert kinds(ended(batch, sentinels=late, interrupted=True)) == []
    assert kinds(ended(batch, sentinels=late)) == [("sentinel", None)]


def test_programs_that_print_otherwise_the_second_time_are_found() -> None:
    batch = CallBatch((b"print(x)", b"print(id(x))"))
    first, second = ended(batch, outputs=(b"1", b"1")), ended(batch, outputs=(b"2", b"2"))
    assert [fault.program for fault in differing(first, second, batch.sources)] == [0]
    assert differing(first, attrs.evolve(second, interrupted=True), batch.sources) == []


@pytest.mark.parametrize(
    ("one", "other", "differs"),
    [
        (b"<A object at 7f10a0b0>\n", b"<A object at 7f20c0d0>\n", False),
        (b"<function f at 0x7f10a0b0>", b"<function f at 0x7f20c0d0>", False),
        (b"<bound_method 7f10a0b0 f>", b"<bound_method 7f20c0d0 f>", False),
        (b"<A object at 7f10a0b0>1", b"<A object at 7f10a0b0>2", True),
        (b"10a0b0c0", b"20a0b0c0", True),
    ],
)
def test_printed_addresses_may_differ(one: bytes, other: bytes, differs: bool) -> None:
    batch = CallBatch((b"print(v1)",))
    ends = [ended(batch, outputs=(text,)) for text in (one, other)]
    assert bool(differing(ends[0], ends[1], batch.sources)) is differs


def test_a_reduction_keeps_one_statement_and_plain_arguments() -> None:
    program = Generator(KNOWN).program("reduce")
    boom = Statement(("v3=boom(", "[1,2,3]", ",", "1<<62", ");_p(9,v3)"))
    program = attrs.evolve(program, statements=(*program.statements, boom, *program.statements))
    tried: list[str] = []

    def still(candidate: CallProgram) -> bool:
        tried.append(candidate.source)
        return "boom(" in candidate.source and "1<<62" in candidate.source

    source = reduce(program, still)
    assert source == "v3=None\nv3=boom(0,1<<62)\n"
    assert callee(source) == "boom" and len(tried) < 200


def test_a_reduction_ends_after_so_many_tries() -> None:
    tried: list[CallProgram] = []

    def still(one: CallProgram) -> bool:
        tried.append(one)
        return True

    reduce(Generator(KNOWN).program("x"), still, most=7)
    assert len(tried) == 7


def test_a_planted_crash_is_found_once_and_reduced() -> None:
    def crash(batch: CallBatch) -> Answer | None:
        return BatchDied("SIGSEGV", REPORT) if having(batch, b".seek(") else None

    made = campaign(crash)
    tally = made.run()
    (finding,) = tally.findings
    assert finding.key == ("died", "mp_seq_multiply<list_binary_op")
    assert ".seek(" in finding.source and len(finding.source) < 500
    assert tally.repeats[finding.key] > 0 and tally.broken == [finding]


def test_a_crash_that_needs_two_interpreters_is_found() -> None:
    seen: list[tuple[bytes, ...]] = []

    def crash(batch: CallBatch) -> Answer | None:
        if not seen and len(batch.sources) == 32:
            seen.append((batch.sources[3], batch.sources[29]))
        both = seen and set(seen[0]) <= set(batch.sources)
        return BatchDied("SIGBUS") if both else None

    (finding,) = campaign(crash, count=32).run().findings
    assert finding.source.count("# and in another interpreter") == 1


def test_a_planted_endless_program_and_a_changed_sentinel_are_found() -> None:
    def endless(batch: CallBatch) -> Answer | None:
        stuck = having(batch, b".mktime(")
        return BatchStuck(tuple(stuck[:1])) if stuck else None

    (finding,) = campaign(endless, count=200).run().findings
    assert (finding.kind, "mktime(" in finding.source) == ("stuck", True)

    def changed(batch: CallBatch) -> Answer | None:
        other = frozenset([SENTINEL, ("GPUSNEK_EXCEPTION", b"")])
        return ended(batch, sentinels=other) if having(batch, b"uctypes') ".strip()) else None

    assert {one.kind for one in campaign(changed, count=64).run().findings} == {"sentinel"}


def test_a_launch_that_ends_when_tried_again_is_no_finding() -> None:
    launches: list[CallBatch] = []

    def once(batch: CallBatch) -> Answer | None:
        launches.append(batch)
        return BatchStuck((1,)) if len(launches) == 2 else None

    tally = campaign(once, count=32).run()
    assert (tally.findings, tally.vanished) == ([], 1)


def test_what_a_limit_stopped_runs_again_without_what_was_slow() -> None:
    def slow(batch: CallBatch) -> Answer | None:
        first = next((i for i in having(batch, b"mktime(") if len(batch.sources) > 1), None)
        if first is None:
            return None
        late = len(batch.sources) - first
        statuses = ("GPUSNEK_OK",) * first + ("GPUSNEK_STOPPED",) * late
        return ended(batch, statuses=statuses, interrupted=True)

    tally = campaign(slow, count=64).run()
    assert not tally.findings and tally.late > 0
    assert tally.programs >= 58  # all except the slow programs


def test_sentinels_that_fail_by_themselves_end_the_campaign() -> None:
    with pytest.raises(FuzzFailed, match="NO_MEMORY"):
        bad = frozenset([("GPUSNEK_NO_MEMORY", b"")])
        campaign(lambda batch: ended(batch, sentinels=bad)).run()


class Slow:
    """A fake launch in progress; `left` is the number of unfinished interpreters at each poll."""

    not_run = 7

    def __init__(self, left: Sequence[int]) -> None:
        self.left, self.written = list(left), [0]

    def statuses(self) -> np.ndarray[Any, Any]:
        return np.full(self.left.pop(0) if len(self.left) > 1 else self.left[0], self.not_run)

    def done(self) -> bool:
        return self.left == [0]

    def interrupt(self, value: int = 1) -> None:
        self.written.append(value)


def test_a_launch_is_stuck_where_no_interpreter_ends_any_more() -> None:
    limits = BatchLimits(0.01, 0.01, 0.01)
    ending, stuck = Slow([9, 5, 1, 0]), Slow([9, 5, 5])
    assert fuzz_batch._drive(ending, limits, 2) is True  # type: ignore[arg-type]
    assert fuzz_batch._drive(stuck, limits, 2) is None  # type: ignore[arg-type]
    assert stuck.written == [0, 1, 2]


def test_the_fuzzer_needs_no_compilers_and_no_console() -> None:
    missing = "clang jinja2 pycparser ninja click rich networkx elftools littlefs cupy"
    block = f"import sys\nfor name in {missing.split()!r}: sys.modules[name] = None\n"
    code = f"{block}from porter_dev.fuzz.calls.__main__ import main\nmain(['--build', 'nothing'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "porter: error: " in done.stderr and "Traceback" not in done.stderr, done.stderr


def test_what_to_leave_out_must_be_an_expression_that_leaves_something() -> None:
    for wrong, match in (("(", "no regular expression"), (".", "nearly every statement")):
        with pytest.raises(UsageError, match=match):
            Generator(KNOWN, wrong).program("1")
    assert "uctypes" not in Generator(KNOWN, "uctypes").program("1").source


def test_options_of_calls_are_for_calls() -> None:
    done = CliRunner().invoke(fuzz.command, ["--known", "x"])
    assert done.exit_code == 2 and "--known is for --calls" in done.output


@pytest.mark.parametrize("sent", [signal.SIGSEGV, signal.SIGABRT])
def test_a_launch_that_kills_its_process_is_an_answer(
    sent: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(device: object, batch: CallBatch) -> Answer:
        os.write(2, b"what was said")
        os.kill(os.getpid(), sent)
        time.sleep(10)
        raise AssertionError

    monkeypatch.setattr(batch_process, "launch_batch", die)
    answer = batch_process._forked(None, CallBatch((b"",)))  # type: ignore[arg-type]
    assert answer == BatchDied(sent.name, "what was said")


def test_a_launch_that_never_answers_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_process, "launch_batch", lambda device, batch: time.sleep(60))
    monkeypatch.setattr(batch_process, "PATIENCE", 0.1)
    monkeypatch.setattr(batch_process, "_WAITING", 0.1)
    begun = time.monotonic()
    answer = batch_process._forked(None, CallBatch((b"",), BatchLimits(0.1, 0, 0)))  # type: ignore[arg-type]
    assert answer == BatchDied("SIGKILL") and time.monotonic() - begun < 5


def test_findings_are_files_that_read_back(tmp_path: Path) -> None:
    finding = CallFinding("died", "mp_x<mp_y", "SIGSEGV: bad\nvery", "print(1)\n")
    path = finding.save(tmp_path)
    ((where, read),) = saved(tmp_path)
    assert where == path and read.key == finding.key and read.what == "SIGSEGV: bad very"
    assert read.source.endswith("\nprint(1)\n")
    assert list(saved(tmp_path / "nothing")) == []


def built() -> Path:
    release = os.environ.get("PORTER_RELEASE") or newest_release()
    if not (paths.upstream_dir() / release / "py").is_dir():
        pytest.skip(f"{release} is not synced")
    return build(BuildConfig(release=release, heap=64 * 1024, arena="global")).folder


def test_introspection_finds_what_a_build_can_call() -> None:
    known = inventory(open_device(built(), "host"))
    least = {"builtins": 80, "math": 30, "io": 4, "struct": 5, "re": 3, "uctypes": 4, "asyncio": 10}
    assert {name: len(known.callables[name]) >= n for name, n in least.items()} == dict.fromkeys(
        least, True
    )
    assert {"center", "split"} <= set(known.attributes["str"])
    assert {"seek", "getvalue"} <= set(known.attributes["BytesIO"])
    assert {"list", "type"} <= set(known.types["builtins"]) and "len" not in known.types["builtins"]
    assert known.count > 800


def test_a_build_compiles_every_recipe() -> None:
    random = Random(1)
    texts = ["".join(parts_of(recipe, random)) for recipe in (*EXPRESSIONS, *STATEMENTS)]
    programs = [f"def f():\n try:\n  {t.replace(NEXT, NEXT + ' ')}\n except:pass\n" for t in texts]
    which = np.arange(len(texts), dtype=np.uint32)
    result = run(open_device(built(), "host"), programs, len(texts), SIZES, program_of=which)
    good = int(result.statuses["OK"])
    assert [text for text, end in zip(texts, result.status, strict=True) if end != good] == []


@pytest.mark.campaign("fuzz")
def test_a_short_run_on_the_host_twin(tmp_path: Path) -> None:
    lines: list[str] = []
    session = CallSession(folder=built(), seconds=10.0, count=400, save=tmp_path)
    done = fuzz_calls(session, lines.append)
    assert done.tally.launches > 2 and done.inventory.count > 800
    assert done.tally.programs > 50 or done.tally.findings
    assert len(list(saved(tmp_path))) == len(done.tally.findings) == len(lines)


@pytest.mark.parametrize("part", range(3))
def test_findings_end_well_among_neighbours(part: int) -> None:
    found = [(path.name, finding) for path, finding in saved(FINDINGS)][part::3]
    assert found
    sources = tuple(finding.source.encode("utf-8", "surrogatepass") for _, finding in found)
    device = open_device(built(), "host")
    (sentinel,) = _ended(launch_batch(device, CallBatch((b"",)))).sentinels
    assert sentinel[0] == "GPUSNEK_OK"
    answer = launch_batch(device, CallBatch(sources, BatchLimits(20.0, 0.2, 2.0)))
    bad = faults(answer, sentinel)
    assert not bad, [(found[fault.program or 0][0], fault) for fault in bad]


def _ended(answer: Answer) -> BatchEnded:
    assert isinstance(answer, BatchEnded)
    return answer


def test_batches_are_made_while_another_runs() -> None:
    made = campaign(lambda batch: None, count=70)
    tally = made.run()
    sizes: Sequence[int] = [tally.programs, tally.launches]
    assert list(sizes) == [70, 3]
