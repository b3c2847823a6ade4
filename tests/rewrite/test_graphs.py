"""Whole-program graphs: recursion to guard, cycles of constants to break."""

from __future__ import annotations

import subprocess
import sys

import pytest

from porter.rewrite.program import merge

from .support import parse, whole_program

CHECK = "void mp_cstack_check(void); void c(void) { mp_cstack_check(); } "


@pytest.mark.parametrize(
    ("text", "guarded"),
    [
        ("int f(int n) { return n ? f(n - 1) : 0; }", {"f"}),
        ("int g(int); int f(int n) { return g(n); } int g(int n) { return n; }", set()),
        ("int g(int); int f(int n) { return g(n); } int g(int n) { return f(n); }", {"f"}),
        (
            "int g(int); int f(int n) { mp_cstack_check(); return g(n); } "
            "int g(int n) { return f(n); }",
            set(),
        ),
        # The function that calls through the pointer is guarded.
        ("int (*p)(int); int f(int n) { return p(n); } void g(void) { p = f; }", {"f"}),
        ("int (*p)(int); int f(int n) { return p(n); }", set()),
        # The member on most paths breaks both cycles.
        (
            "int a(int), b(int); int f(int n) { return a(n) + b(n); } "
            "int a(int n) { return f(n); } int b(int n) { return f(n); }",
            {"f"},
        ),
    ],
)
def test_recursion_that_nothing_bounds(text: str, guarded: set[str]) -> None:
    assert whole_program(parse(CHECK + text)).guarded == guarded


def test_no_recursion_is_guarded_where_nothing_can_raise() -> None:
    assert not whole_program(parse("int f(int n) { return f(n); }")).guarded


CONSTANTS = "struct T { const struct T *a, *b; }; extern const struct T k, l, m; "


@pytest.mark.parametrize(
    ("text", "late"),
    [
        ("const struct T k = {&k};", {"k": {"k"}}),
        ("const struct T k = {&l}; const struct T l = {0};", {}),
        ("const struct T k = {&l}; const struct T l = {&k};", {"k": {"l"}}),
        # A constant in two cycles leaves out the references that close both.
        (
            "const struct T k = {&l, &m}; const struct T l = {&k}; const struct T m = {&k};",
            {"k": {"l", "m"}},
        ),
        ("int n; struct U { int *n; const struct U *u; }; const struct U k2 = {&n, &k2};", {}),
    ],
)
def test_references_that_break_cycles(text: str, late: dict[str, set[str]]) -> None:
    assert whole_program(parse(CONSTANTS + text)).late == late


def test_an_empty_program_has_nothing() -> None:
    program = merge([])
    assert not (program.raising or program.guarded or program.state or program.late)


def test_commands_load_no_graph_library() -> None:
    """Its import takes as long as all other imports, and most commands rewrite nothing."""
    code = "import sys, porter.__main__, porter.pipeline; sys.exit('networkx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
