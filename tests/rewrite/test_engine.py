"""The engine compared with a naive one, overlapping edits, and upstream's line numbers."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from porter.errors import UnknownConstruct
from porter.rewrite.edit import Edit, Without, insert, replace, wrap
from porter.rewrite.engine import apply_edits
from porter.syntax import Span
from porter.syntax.node import line_table, locate

from .support import CXX_FLAGS, RUNTIME, rewrite_all


@frozen
class Tree:
    """A range with disjoint smaller ranges inside it: edits that nest and do not overlap."""

    start: int
    end: int
    below: tuple[Tree, ...]


@st.composite
def trees(draw: st.DrawFn, start: int = 0, end: int = 40, depth: int = 3) -> Tree:
    below = []
    if depth and end - start > 2:
        cuts = sorted(
            draw(st.sets(st.integers(start + 1, end - 1), max_size=min(6, end - start - 1)))
        )
        for left, right in zip(cuts[::2], cuts[1::2], strict=False):
            below.append(draw(trees(left, right, depth - 1)))
    return Tree(start, end, tuple(below))


def naive(text: str, tree: Tree) -> str:
    """Wrap every range of a tree, from the inside out."""
    pieces, position = [], tree.start
    for inner in tree.below:
        pieces += [text[position : inner.start], f"<{inner.start}:", naive(text, inner), ">"]
        position = inner.end
    return "".join([*pieces, text[position : tree.end]])


def flat(tree: Tree) -> list[Tree]:
    return [inner for below in tree.below for inner in (below, *flat(below))]


@given(trees(), st.randoms(use_true_random=False))
def test_nested_edits_as_a_naive_engine(tree: Tree, shuffler: random.Random) -> None:
    text = "".join(chr(ord("a") + i % 26) for i in range(40))
    edits = [wrap(Span(t.start, t.end), f"<{t.start}:", ">", "r") for t in flat(tree)]
    shuffler.shuffle(edits)
    assert apply_edits("unit", text, edits) == naive(text, tree)


@given(st.lists(st.tuples(st.integers(0, 20), st.sampled_from("xyz")), max_size=8))
def test_insertions_keep_the_order_of_the_rules(places: list[tuple[int, str]]) -> None:
    text = "abcdefghijklmnopqrst"
    edits = [insert(offset, mark, "r") for offset, mark in places]
    expected = text
    for offset in sorted({offset for offset, _ in places}, reverse=True):
        marks = "".join(mark for at, mark in places if at == offset)
        expected = expected[:offset] + marks + expected[offset:]
    assert apply_edits("unit", text, edits) == expected


@given(st.integers(0, 8), st.integers(1, 5), st.integers(1, 5), st.integers(1, 5))
def test_crossing_edits_name_both_rules(start: int, a: int, b: int, c: int) -> None:
    first = wrap(Span(start, start + a + b), "(", ")", "one")
    second = wrap(Span(start + a, start + a + b + c), "[", "]", "two")
    for edits in ([first, second], [second, first]):
        with pytest.raises(UnknownConstruct, match="rules one and two overlap"):
            apply_edits("unit", "x" * 40, edits)


def test_same_range_first_is_inner() -> None:
    span = Span(1, 2)
    edits = [wrap(span, "(", ")", "first"), wrap(span, "[", "]", "second")]
    assert apply_edits("unit", "abc", edits) == "a[(b)]c"


def test_replaced_text_takes_the_edits_inside_with_it() -> None:
    edits = [
        wrap(Span(2, 3), "<", ">", "inner"),
        replace(Span(0, 5), "outer", Span(2, 3), "+", Span(2, 3)),
        insert(5, "!", "after"),
    ]
    assert apply_edits("unit", "abcde", edits) == "<c>+<c>!"


def test_a_part_can_leave_its_own_edit_out() -> None:
    edits = [
        wrap(Span(1, 2), "<", ">", "other"),
        replace(Span(1, 2), "moved", "{}"),
        Edit(3, 3, (Without(Span(1, 2), "moved"),), "moved"),
    ]
    assert apply_edits("unit", "abc", edits) == "a{}c<b>"


LINES = "".join(f"line {n}\n" for n in range(1, 9))


@given(
    st.lists(st.tuples(st.integers(0, 7), st.integers(0, 2), st.text("x\n", max_size=4))),
)
def test_text_behind_an_edit_keeps_its_line(raw: list[tuple[int, int, str]]) -> None:
    """Text after an edit keeps upstream's line numbers, however many lines the edit changes."""
    text = '# 1 "up.c"\n' + LINES
    starts = [start for start, file, _ in line_table(text) if file][1:]
    edits, taken = [], 0
    for first, count, replacement in sorted(raw):
        if first < taken or first + count > 7:
            continue
        taken = first + count + 1
        edits.append(replace(Span(starts[first] + 1, starts[first + count] + 2), "r", replacement))
    result = apply_edits("unit", text, edits)
    table = line_table(result)
    for number in range(1, 9):
        at = result.find(f"line {number}\n")
        if at >= 0:
            assert locate(table, at)[:2] == ("up.c", number)


def test_compilers_name_upstreams_line(tmp_path: Path) -> None:
    """An error after multi-line edits, and `__LINE__`, have upstream's line numbers."""
    code = (
        '# 100 "py/up.c"\n'
        "struct p { int x, y; };\n"
        "const struct p k = {\n    .y = 1,\n    .x = 2,\n};\n"
        "static int n =\n    5;\n"
        "int (*p)(void);\n"
        "int f(int a) {\n    if (a) goto out;\n    int b = a +\n        n;\n    p();\n"
        "out:\n    return __LINE__ + undeclared_here;\n}\n"
    )
    good = code.replace("undeclared_here", "n")
    bad = (
        rewrite_all({"unit": good})
        .files["unit.cpp"]
        .replace("return __LINE__ + ", "return __LINE__ + undeclared_here + ")
    )
    (tmp_path / "porter_state.h").write_text(rewrite_all({"unit": good}).files["porter_state.h"])
    (tmp_path / "unit.cpp").write_text(bad)
    command = ["g++", *CXX_FLAGS, "-fsyntax-only", f"-I{tmp_path}", f"-I{RUNTIME}", "unit.cpp"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert "py/up.c:114:" in done.stderr
    expanded = subprocess.run(
        ["g++", "-E", "-P", f"-I{tmp_path}", f"-I{RUNTIME}", "unit.cpp"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert "return 114 +" in expanded.stdout
