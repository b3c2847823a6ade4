"""Generated Python programs: the generator, the comparison, and a run of many."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from porter_dev.torture.choices import Choices, reduce
from porter_dev.torture.python import comparison, cpython
from porter_dev.torture.python.comparison import MODES, Examined, Examiner, Ran, difference
from porter_dev.torture.python.program import generate
from porter_dev.torture.python.python_campaign import draw, saved, torture

if TYPE_CHECKING:
    from porter.pipeline import Build

SEED = "ci"
USUAL = 2000  # programs that run as users' do
FORCED = 20  # programs that run in every other mode too, from a separate seed
RAN = Ran(b"1\n2\n", b"", "OK", 7)


def test_same_seed_same_program() -> None:
    assert draw("x", 3) == draw("x", 3)
    assert draw("x", 3).text != draw("x", 4).text != draw("y", 3).text


def test_choices_give_the_program_again() -> None:
    for index in range(20):
        program = draw("again", index)
        assert generate(Choices(values=program.choices)) == program


def test_programs_are_python_and_have_what_the_tier_treats_specially() -> None:
    texts = [draw("kinds", index).source for index in range(300)]
    for text in texts:
        ast.parse(text)
    for part in (
        "while ", "else:", "break", "continue", "finally:", "raise", "yield from", "nonlocal",
        "class ", "@property", "super()", "del ", "exec(", "lambda", " if ", "with ", "global ",
        "memoryview", "array('d'", "bytearray", "2**63", "NAN", "-INF", "*rest", ":=", "<<=",
        "not in", "__getitem__", ".send(", ".throw(", "if not 0 < ", "    return r", "def spend",
    ):  # fmt: skip
        assert sum(part in text for text in texts) >= 3, part


def test_most_programs_run_far_and_all_end() -> None:
    found = cpython.outputs([draw("ends", index).source for index in range(100)])
    assert None not in found
    assert sum(len(output.splitlines()) >= 3 for output in found if output) > 80


def test_cpython_is_stopped_where_a_program_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpython, "SECONDS", 1)
    endless = ["while True: pass", "try:\n    while 1: pass\nfinally:\n    while 1: pass"]
    endless.append("x = 3 << 9\nfor i in range(60): x *= x")
    found = cpython.outputs([*endless, "print(1)", "print(2); 1/0", "print(3); raise SystemExit"])
    assert found == [None, None, None, "1\n", "2\n", "3\n"]


def test_what_a_program_leaves_prints_nothing_into_the_next() -> None:
    left = "def y():\n    try:\n        yield 1\n    finally:\n        print('closed')\nit = y()\n"
    found = cpython.outputs([f"{left}print(next(it))", "import gc\ngc.collect()\nprint(2)"])
    assert found == ["1\n", "2\n"]


@pytest.mark.parametrize(
    ("plain", "usual", "expected", "mode"),
    [
        (RAN, RAN, "1\n2\n", None),
        (RAN, Ran(b"1\n3\n", b"", "OK", 7), "1\n2\n", "usual"),
        (RAN, Ran(b"1\n2\n", b"", "OK", 8), "1\n2\n", "usual"),
        (RAN, Ran(b"1\n2\n", b"line 4", "OK", 7), "1\n2\n", "usual"),
        (RAN, Ran(b"1\n2\n", b"", "EXCEPTION", 7), "1\n2\n", "usual"),
        (RAN, RAN, "1\n4\n", "cpython"),
        (RAN, RAN, None, "cpython"),
        (Ran(b"", b"", "OUT_OF_STEPS", 7), Ran(b"", b"", "OUT_OF_STEPS", 7), "", "cpython"),
    ],
)
def test_every_difference_is_one(
    plain: Ran, usual: Ran, expected: str | None, mode: str | None
) -> None:
    found = difference(Examined(plain, {"usual": usual}), expected)
    assert (found and found.mode) == mode


def test_of_failing_memory_only_the_end_counts() -> None:
    assert difference(Examined(RAN, {"memory": Ran(b"", b"x", "EXCEPTION", 1)}), "1\n2\n") is None
    assert difference(Examined(RAN, {"memory": Ran(b"", b"", "CRASHED", 1)}), "1\n2\n")


def test_what_kept_programs_from_running_is_a_difference() -> None:
    found = difference(Examined(problem="crash: SIGSEGV"), "")
    assert found is not None and found.mode == "crash"


def test_reducing_keeps_what_matters() -> None:
    drawn = (draw("small", index) for index in range(100))
    program = next(p for p in drawn if "yield from" in p.text and len(p.text) > 2000)
    smaller = reduce(program, generate, lambda one: "yield from" in one.text, most=150)
    assert "yield from" in smaller.text
    assert len(smaller.text) < len(program.text) / 2


def test_a_wrong_translation_is_found(built: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    """Native code that adds instead of subtracting is detected."""
    right: Any = vars(comparison)["translate"]

    def wrong(*args: Any, **options: Any) -> Any:
        made = right(*args, **options)
        text = made.made.text.replace(" - INT64_C(3)", " + INT64_C(3)")
        assert text != made.made.text
        object.__setattr__(made.made, "text", text)
        return made

    source = "def f(x):\n    y = 0\n    for i in range(x):\n        y = i - 3\n    return y\n"
    source += "print(f(9))\n"
    run = Examiner(built.folder, ("all",))()
    (good,) = run([source])
    assert difference(good, "5\n") is None
    monkeypatch.setattr(comparison, "translate", wrong)
    (bad,) = run([source])
    found = difference(bad, "5\n")
    assert found is not None and (found.mode, found.detail) == (
        "all",
        "stdout: line 1: '5', not '11'",
    )


def _examined(built: Build, count: int, modes: list[str], tmp_path: Path, seed: str = SEED) -> None:
    found = torture(built.folder, seed, count, modes, reduced=False)
    shown = [f"{saved(one, tmp_path)}: {one.difference.detail}" for one in found]
    assert not found, "\n".join(shown)


@pytest.mark.campaign("compiled-programs")
@pytest.mark.skipif(
    sys.version_info < (3, 11, 4), reason="CPython loses a value of x, x = len([1]), (x ^ (x + 0))"
)
def test_programs_as_users_run_them(built: Build, tmp_path: Path) -> None:
    _examined(built, USUAL, ["usual"], tmp_path)


@pytest.mark.campaign("compiled-programs")
@pytest.mark.parametrize("mode", [name for name in MODES if name != "usual"])
def test_programs_in_every_other_way(built: Build, mode: str, tmp_path: Path) -> None:
    _examined(built, FORCED, [mode], tmp_path, "calls")
