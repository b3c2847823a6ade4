"""The output of `porter compile` for each stage."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from attrs import evolve

from porter.compiler.mpy import BytecodeModule
from porter.compiler.options import CompilerOptions
from porter.compiler.show import AFTER, STAGES, ShownProgram, dot
from porter.compiler.tables import Tables
from tests.compiler import sources

PROGRAM = """\
def total(n, scale):
    s = 0.0
    for i in range(n):
        s += i * scale  # a comment with \\
    return s
print(total(10, 2.5), "text", b"bytes", 1 << 70)
"""
Show = Callable[..., str]


@pytest.fixture
def show(module: Callable[[str], BytecodeModule], tables: Tables) -> Show:
    def show(stage: str, program: str = PROGRAM) -> str:
        source = ShownProgram(module(program), tables, program.splitlines())
        return dot(source) if stage == "dot" else STAGES[stage](source)

    return show


def test_bytecode_stands_under_its_lines(show: Show) -> None:
    text = show("bytecode")
    assert text.startswith("<module>: ")
    for expected in (
        r"^total: \d+ slots, 2 of them arguments$",
        r"^ +3: for i in range\(n\):\n +\d+  LOAD_FAST +v0$",
        r"^ +\d+  BINARY_OP +MULTIPLY\n +\d+  BINARY_OP +INPLACE_ADD\n +\d+  STORE_FAST +v2$",
        r"^ +\d+  POP_JUMP_IF_TRUE +to \d+$",
        r"^ +\d+  LOAD_NAME +print$",
        r"^ +\d+  CALL_FUNCTION +2 positional, 0 by name$",
        r"^ +\d+  LOAD_CONST_OBJ +2\.5$",
        r"^ +\d+  LOAD_CONST_OBJ +b'bytes'$",
        r"^ +\d+  LOAD_CONST_OBJ +1180591620717411303424$",
        r"^ +\d+  LOAD_CONST_SMALL_INT +10$",
    ):
        assert re.search(expected, text, re.M), expected


def test_blocks_lead_to_blocks_that_are_shown(show: Show) -> None:
    text = show("cfg")
    function = text[text.index("total: ") :]
    shown = {int(number) for number in re.findall(r"^  block (\d+), depth \d+", function, re.M)}
    led = {
        int(number)
        for row in re.findall(r"^    -> ([\d, ]+)$", function, re.M)
        for number in row.split(", ")
    }
    assert len(shown) >= 4
    assert led < shown
    assert re.search(r"^  block 0, depth 0, entry +2: s = 0\.0$", function, re.M)
    assert re.search(r"^  block \d+, depth 2, entry, loop +3: for i in range", function, re.M)
    assert "-> the interpreter, at RETURN_VALUE" in function


def test_kinds_of_a_loop(show: Show) -> None:
    text = show("types")
    (head,) = re.findall(r"^  block \d+.*loop.*\n    stack: (.*)\n    variables: (.*)$", text, re.M)
    assert head[0].split(", ")[1].startswith("int ")  # where range() is, above its end
    assert re.match(r"v0 \w+, v1 \w+, v2 ", head[1])


def test_cxx_has_the_lines(show: Show) -> None:
    text = show("cxx")
    assert re.search(r"// 3: for i in range\(n\):$", text, re.M)
    assert 'extern "C"' in text
    # A comment that ends so would join the next line to it.
    assert not re.search(r"//.*\\$", text, re.M)


def test_the_ir_after_each_pass(module: Callable[[str], BytecodeModule], tables: Tables) -> None:
    lines = PROGRAM.splitlines()
    source = ShownProgram(module(PROGRAM), tables, lines, CompilerOptions(enter="apart"))
    texts = {after: STAGES["ir"](evolve(source, after=after)) for after in AFTER}
    assert STAGES["ir"](source) == texts[AFTER[-1]]
    assert "region whole, entered at 0," in texts["construction"]
    assert "region start, entered at 0" in texts["outlining"]
    assert texts["construction"].startswith("function total\n")
    for line in (
        r"guard [vt]\d+o? is int, or exit \d+, depth \d+ \{.*\} \"a variable is no small int\"",
        r"poll, or exit \d+, depth \d+ \{.*\}",
        r"branch if s1i < s0i",
        r"return frame\[0\]",
        r"fast path t\d+ != null, or",
        r"t\d+ = call operated\(.*\) at \d+",
    ):
        assert re.search(rf"^ +{line}", texts["construction"], re.M), line


def test_dot_has_every_block_once(show: Show) -> None:
    text = show("dot")
    nodes = re.findall(r"^    (f\d+_\d+) \[label=\"", text, re.M)
    assert len(nodes) == len(set(nodes)) >= 4
    ends = set(re.findall(r"^    (f\d+_\d+) -> (f\d+_\d+);$", text, re.M))
    assert {end for edge in ends for end in edge} <= set(nodes)
    assert text.startswith("digraph ") and text.endswith("}\n")
    assert text.count("{") == text.count("}")
    for label in re.findall(r"label=(.*?)(?:, peripheries=2)?\];$", text, re.M):
        assert re.fullmatch(r'"(?:[^"\\]|\\.)*"', label)


@pytest.mark.parametrize("stage", [*STAGES, "dot"])
@pytest.mark.parametrize(
    "program", ["", sources.STATEMENTS, sources.WIDE, sources.CONSTANTS], ids=len
)
def test_every_program_is_shown(show: Show, stage: str, program: str) -> None:
    text = show(stage, program)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_a_program_without_loops_gains_nothing(show: Show) -> None:
    assert "stays bytecode" in show("cfg", "print(1)\n")
    assert "LOAD_NAME" in show("bytecode", "print(1)\n")


def test_a_source_that_is_not_there_leaves_lines_empty(
    module: Callable[[str], BytecodeModule], tables: Tables
) -> None:
    text = STAGES["bytecode"](ShownProgram(module(PROGRAM), tables))
    assert re.search(r"^ +3:$", text, re.M)


def test_ranges_of_integers(show: Show) -> None:
    body = "    y = 0\n    while x:\n        y = (y + 1) & 255\n    return y"
    text = show("types", f"def f(x):\n{body}\n")
    assert re.search(r"loop.*\n.*\n    variables: v0 object, v1 int 0 to 255$", text, re.M)


def test_globals_of_a_loop_at_module_level(show: Show) -> None:
    text = show("types", "total = 0.5\nwhile total < 9.0:\n    total = total * 1.5\nprint(total)\n")
    assert re.search(r"^    globals: .*total \w+", text, re.M)
