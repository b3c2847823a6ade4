"""A campaign detects the effect of a broken rule, reduces the program, and saves it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

import porter.rewrite.unit
from porter.cli import execute
from porter.errors import TortureFailed, UsageError
from porter.rewrite.rules import RULES
from porter_dev.torture.batch import examine
from porter_dev.torture.c_campaign import Found, draw, read_saved, replay, saved, torture
from porter_dev.torture.choices import reduce
from porter_dev.torture.expressions import is_sequence
from porter_dev.torture.program import CProgram, generate

PROGRAMS = 15  # of each seed; `porter torture` runs a thousand
KEPT = sorted((Path(__file__).parent / "found").glob("*.c"))


@pytest.mark.parametrize("seed", ["tests", "tests2", "tests3", "tests4"])
def test_programs_do_the_same_in_cxx(seed: str) -> None:
    found = torture(seed, PROGRAMS, jobs=2, reduced=False)
    assert [(one.index, one.finding.detail) for one in found] == []


def without(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave a rule out, in this process and in its children."""
    kept = tuple(each for each in RULES if each.name != rule)
    original = vars(porter.rewrite.unit)["collect_edits"]
    monkeypatch.setattr(
        "porter.rewrite.unit.collect_edits",
        lambda unit, program, rules=kept: original(unit, program, rules),
    )


@pytest.mark.parametrize(
    ("rule", "kind"),
    [("casts", "compiler"), ("jumps", "compiler"), ("initialisers", "compiler")],
)
def test_a_missing_rule_is_found(
    rule: str, kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    without(rule, monkeypatch)
    found = examine([draw("broken", index) for index in range(3)], tmp_path)
    assert {finding.kind for finding in found.values()} == {kind}


def test_a_wrong_output_is_found_made_small_and_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # Without a handler nearby, no check then reads the unwind word, and execution continues.
    monkeypatch.setattr("porter.rewrite.rules.unwinding._is_tail", lambda call, block: True)
    program = draw("unwound", 7)
    finding = examine([program], tmp_path)[program.name]
    assert finding.kind == "differs"

    def still(smaller: CProgram) -> bool:
        now = examine([smaller], tmp_path).get(smaller.name)
        return now is not None and now.kind == "differs"

    smaller = reduce(program, partial(generate, 7), still, most=12)
    lines = smaller.units[0].count("\n")
    assert lines < program.units[0].count("\n")
    smallest = Found("unwound", 7, smaller, finding, lines)
    path = saved(smallest, tmp_path)
    again = replay(path)
    assert again is not None and again.finding.kind == "differs"
    monkeypatch.undo()
    assert replay(path) is None


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_what_was_found_once_is_right_now(path: Path) -> None:
    assert replay(path) is None


def test_a_file_that_is_no_finding(tmp_path: Path) -> None:
    path = tmp_path / "x.c"
    path.write_text("int main(void) { return 0; }\n")
    with pytest.raises(UsageError, match="not a program"):
        read_saved(path)
    assert execute(["torture", "--replay", str(path)]) == UsageError.exit_code


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["torture", "-n", "2", "-j", "1", "--keep", str(tmp_path)]) == 0
    assert "2 programs" in capsys.readouterr().out
    assert TortureFailed.exit_code == 55


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("(a, b.m)", True),
        ("((f(a), b.m))", True),
        ("f(a, b)", False),
        ("(f(a, b))", False),
        ("(a + f(b, c))", False),
        ("(x)[1, 2]", False),
        ("a", False),
        ("", False),
    ],
)
def test_what_gpp_takes_for_a_bit_field(text: str, is_one: bool) -> None:
    assert is_sequence(text) is is_one
