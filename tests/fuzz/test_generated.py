"""Generated programs, of classes with side effects and with huge integers, succeed."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import attrs
import numpy as np
import pytest

from porter.base import paths
from porter.errors import FileProblem, UsageError
from porter.run import open_device, run
from porter.sync.lock import newest_release
from porter_dev.fuzz.calls.findings import reduce
from porter_dev.fuzz.calls.fuzz_batch import SIZES
from porter_dev.fuzz.calls.inventory import Inventory, inventory
from porter_dev.fuzz.calls.programs import ProgramMaker
from porter_dev.fuzz.calls.session import PROGRAM_HEAP, CallSession, fuzz_calls
from porter_dev.fuzz.calls.side_effects import SideEffectGenerator
from porter_dev.fuzz.calls.size_mutation import VALUES, SizeGenerator
from tests.fuzz.test_calls import KNOWN, built

REACHED = 1.0 / 3  # of the operations end otherwise than with a TypeError


def test_equal_seeds_give_equal_programs() -> None:
    one, other = (SideEffectGenerator(KNOWN).program("7:1") for _ in range(2))
    assert one == other and one.source == other.source
    assert one.source != SideEffectGenerator(KNOWN).program("7:2").source


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_programs_are_valid_and_differ() -> None:
    generator = SideEffectGenerator(KNOWN)
    texts = set()
    for number in range(200):
        program = generator.program(str(number))
        texts |= {statement.text for statement in program.statements}
        compile(program.source, "calls", "exec")
    assert len(texts) > 2000


def test_processes_can_make_them() -> None:
    seeds = [str(number) for number in range(300)]
    maker = ProgramMaker(SideEffectGenerator(KNOWN), many=True)
    try:
        assert maker(seeds) == ProgramMaker(SideEffectGenerator(KNOWN))(seeds)
    finally:
        maker.close()


def test_a_program_is_reduced_to_the_statements_that_matter() -> None:
    program = next(
        one
        for one in map(SideEffectGenerator(KNOWN).program, map(str, range(1000)))
        if "sorted(" in one.source
    )
    small = reduce(program, lambda one: "sorted(" in one.source, most=2000)
    assert len(small.splitlines()) < len(program.source.splitlines()) / 2
    compile(small, "calls", "exec")


def test_statements_can_be_left_out() -> None:
    generator = SideEffectGenerator(KNOWN, without="gc.collect|struct")
    sources = [generator.program(str(number)).source for number in range(50)]
    assert not any("gc.collect" in source for source in sources)
    with pytest.raises(UsageError, match="nearly every statement"):
        SideEffectGenerator(KNOWN, without=".").program("1")
    with pytest.raises(UsageError, match="no regular expression"):
        SideEffectGenerator(KNOWN, without="(")


def test_interpreters_compile_them_and_c_code_calls_back() -> None:
    device = open_device(built(), "host")
    generator = SideEffectGenerator(inventory(device))
    programs = [generator.program(str(number)).encoded for number in range(40)]
    spec = attrs.evolve(SIZES, heap=PROGRAM_HEAP, max_steps=500_000)
    which = np.arange(len(programs), dtype=np.uint32)
    result = run(device, programs, len(programs), spec, program_of=which)
    assert result.statuses.count(result.status, "SYNTAX_ERROR") == 0
    printed = b"".join(result.stdout[i] for i in range(len(programs)))
    operations = len(programs) * 24  # 12, twice
    assert 0 < printed.count(b"TypeError") < (1 - REACHED) * operations


def test_an_inventory_without_modules_is_enough() -> None:
    source = SideEffectGenerator(Inventory({}, {}, {})).program("1").source
    assert "import gc" in source and "import struct" not in source


@pytest.mark.parametrize(
    "count", [60, pytest.param(6000, marks=pytest.mark.campaign("fuzz"))], ids=["short", "long"]
)
def test_programs_end_well_among_sentinels(count: int) -> None:
    session = CallSession(folder=built(), seconds=120.0, count=count, programs=True, seed="t")
    done = fuzz_calls(session, lambda text: None)
    assert [finding.source for finding in done.tally.findings] == []
    assert done.tally.programs + done.tally.late >= count


def test_one_integer_or_two_become_huge(tmp_path: Path) -> None:
    text = "x = [1, 2]\nprint(f'{x[0]:3}', 'a\\n b', 0x10, True)\nif x:\n    print(x[-1:7])\n"
    (tmp_path / "a.py").write_text(text)
    (tmp_path / "broken.py").write_text("x = = 1")
    (tmp_path / "none.py").write_text("print('no integer')")
    generator = SizeGenerator([tmp_path])
    assert generator.places == 5  # not those of the f-string
    sources = [generator.program(str(number)).source for number in range(200)]
    assert sources == [generator.program(str(number)).source for number in range(200)]
    changed: Counter[int] = Counter()
    for source in sources:
        lines = source.splitlines()
        assert len(lines) >= 4 and "f'{x[0]:3}', 'a\\n b'" in source
        found = re.findall(r"\((-?\d+)\)", source)
        assert all(int(value) in VALUES for value in found)
        changed[len(found)] += 1
        compile(source, "sizes", "exec")
    assert set(changed) == {1, 2}
    assert any(f"({2**64 - 1})" in source for source in sources)


def test_programs_to_mutate_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="no such folder"):
        SizeGenerator([tmp_path / "missing"])
    with pytest.raises(UsageError, match="no program with an integer literal"):
        SizeGenerator([tmp_path])
    (tmp_path / "a.py").write_text("print(1)")
    with pytest.raises(UsageError, match="no program with"):
        SizeGenerator([tmp_path], without="print")


@pytest.mark.parametrize(
    "count", [60, pytest.param(8000, marks=pytest.mark.campaign("fuzz"))], ids=["short", "long"]
)
def test_huge_integers_end_well_among_sentinels(count: int) -> None:
    tests = paths.upstream_dir() / newest_release() / "tests"
    folders = tuple(tests / name for name in ("basics", "extmod", "float", "micropython"))
    session = CallSession(
        folder=built(),
        seconds=200.0,
        count=count,
        mutate=folders,
        seed="t",
        without="uctypes|sleep",
    )
    done = fuzz_calls(session, lambda text: None)
    assert [finding.source for finding in done.tally.findings] == []
    assert done.tally.programs + done.tally.late >= count
