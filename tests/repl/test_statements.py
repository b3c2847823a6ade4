"""The end of a statement, by MicroPython's rule and porter's addition."""

from __future__ import annotations

import pytest

from porter.repl import Session
from porter.repl.prompter import Prompter
from porter.repl.statements import Statements, exchanges, inputs, split, unprompted
from porter.run import Device


@pytest.fixture(scope="module")
def prompter(any_device: Device) -> Prompter:
    return Prompter(Session.open(any_device, 3))


@pytest.mark.parametrize(
    "text, more",
    [
        *[(text, False) for text in ("", "x", "if 1: x\n", "x = '(", "print()", "# if", "a\nb")],
        *[(text, True) for text in ("if 1:", "(", "'''x", "x = [\n1,", "@f", "async def f():")],
        *[("x = \\", True), ("for i in x:\n    y", True), ("iffy", False), ("class", True)],
    ],
)
def test_whether_it_goes_on(prompter: Prompter, text: str, more: bool) -> None:
    assert prompter.continues(text) is more


def statements(prompter: Prompter, text: str) -> list[str]:
    reader = Statements(prompter.continues)
    found = [statement for line in text.split("\n") for statement in reader.feed(line)]
    return [*found, *reader.flush()]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("x = 1\ny = 2", ["x = 1\n", "y = 2\n"]),
        ("\n\n# why\nx\n\n", ["x\n"]),
        ("if x:\n    y\n\nz", ["if x:\n    y\n\n", "z\n"]),
        ("while x:\n    y\nz", ["while x:\n    y\n", "z\n"]),
        ("if x:\n    y\nelif z:\n    u\nelse:\n    v\nw", [*("if x:\n    y\nelif z:\n    u\n",)]),
        ("@f\ndef g():\n    pass\n   \nx", ["@f\ndef g():\n    pass\n\n", "x\n"]),
        ("x = [\n1,\n]\ny", ["x = [\n1,\n]\n", "y\n"]),
        ("def f():\n    '''a\nb\n\n    '''\nx", ["def f():\n    '''a\nb\n\n    '''\n", "x\n"]),
        ("if x:\n    y\n%image 2x2 (\nz", ["if x:\n    y\n", "%image 2x2 (", "z\n"]),
        ("%time (1\n", ["%time (1"]),
        ("if x:\n# why\n    y\n\n", ["if x:\n# why\n    y\n\n"]),
        ("x = (1,", ["x = (1,\n"]),
    ],
)
def test_lines_become_statements(prompter: Prompter, text: str, expected: list[str]) -> None:
    if "elif" in text:
        expected = [text.rpartition("w")[0], "w\n"]
    assert statements(prompter, text) == expected


def test_blocks_of_a_program_may_hold_blank_lines(prompter: Prompter) -> None:
    text = "# first\n\ndef f():\n    a\n\n    b\n\n\n@f\n\ndef g(): pass\nx = '''\ny\n'''\n# last\n"
    assert list(split(text, prompter.continues)) == [
        "def f():\n    a\n\n    b\n",
        "@f\n\ndef g(): pass\n",
        "x = '''\ny\n'''\n# last\n",
    ]


def test_prompts_come_off() -> None:
    assert [unprompted(line) for line in (">>> x", "...     y", "...", ">>>", "x")] == [
        *("x", "    y", "", "", "x")
    ]


def test_a_transcript() -> None:
    text = "Starting\n>>> if x:\n...     y\n...\n----- 1x -----\n2\n>>> z\n>>> 'a'\n'a'\n>>>\n"
    assert [(e.source, e.printed) for e in exchanges(text)] == [
        ("if x:\n    y\n\n", "----- 1x -----\n2\n"),
        ("z\n", ""),
        ("'a'\n", "'a'\n"),
    ]
    assert inputs(text) == "if x:\n    y\n\nz\n'a'\n"
    printed = ">>> f()\n----- 1x -----\n... and so on\n>>> g()\n"
    assert [(e.source, e.printed) for e in exchanges(printed)] == [
        ("f()\n", "----- 1x -----\n... and so on\n"),
        ("g()\n", ""),
    ]
    assert inputs("x = 1\n... \n") == "x = 1\n... \n"


@pytest.mark.parametrize(
    "text, found",
    [
        ("thr", ["eadIdx"]),
        ("x = 1 + num", ["Threads"]),
        ("pri", ["nt"]),
        ("whi", ["le"]),
        ("impo", ["rt "]),
        ("import ma", ["rshal", "th"]),
        ("math.flo", ["or"]),
        ("math.sq", ["rt"]),
        ("math.print", []),
        ("nothing.pri", []),
        ("'text'.upp", []),
        ("alph", ["a_"]),
        ("alpha_", ["one", "two"]),
    ],
)
def test_completion(prompter: Prompter, text: str, found: list[str]) -> None:
    prompter.session.execute("import math; alpha_one = alpha_two = 1\n")
    assert prompter.complete(text) == found


def test_completion_asks_a_live_interpreter(any_device: Device) -> None:
    session = Session.open(any_device, 3)
    session.execute("if threadIdx == 1: only_here = 1\n\n")
    prompter = Prompter(session)
    assert prompter.complete("only") == []
    session.execute("if threadIdx == 0: raise SystemExit\n\n")
    assert prompter.complete("only") == ["_here"]
    session.execute("raise SystemExit\n")
    assert prompter.complete("only") == [] and "nt" in prompter.complete("pri")


def test_completion_that_never_ends_is_given_up(any_device: Device) -> None:
    session = Session.open(any_device, 2)
    session.execute("class A:\n    def __getattr__(self, name):\n        while True: pass\n\n")
    session.execute("a = A(); x = 5\n")
    assert Prompter(session).complete("a.re") == []
    assert session.execute("x\n").outputs[0][0] == b"5\n"
