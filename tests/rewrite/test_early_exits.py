"""Pairs of changes that an early exit can separate: found, taken back, or explained."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from porter import pipeline
from porter.base import paths
from porter.base.progress import QUIET
from porter.cli import rules
from porter.config import BuildConfig
from porter.errors import UnknownConstruct
from porter.rewrite.early_exits import (
    HARMLESS,
    LEFT,
    RESTORED,
    Pair,
    early_exits,
    reasons,
)
from porter.rewrite.rewrite_stage import rewrite
from porter_dev import builds

from .support import CXX_FLAGS, RUNTIME, parse, rewrite_all, run_tool, whole_program

RAISES = "void (*p)(void); int (*q)(int); "
LOCK = "static int depth; void enter(void) { depth += 2; } void leave(void) { depth -= 2; } "
STATE = "static int state; void a(void) { if (state < 0) --state; else state = -1; } "
STATE += "void b(void) { if (++state == 0) state = 1; } "
GLOBALS = "struct s { void *now; } ctx; void *get(void) { return ctx.now; } "
GLOBALS += "void set(void *n) { ctx.now = n; } struct f { void *old; }; "

Found = list[tuple[str, str, str, str]]


def pairs(*texts: str) -> list[Pair]:
    """The pairs of a program of one unit for each text."""
    units = [parse(text, f"unit{number}") for number, text in enumerate(texts)]
    program = whole_program(*units)
    return [pair for unit in units for pair in early_exits(unit, program)]


def brief(found: list[Pair]) -> Found:
    return [(pair.function, pair.path, pair.kind, pair.status) for pair in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Counts, in place and by helpers, whatever the helpers are called.
        ("int n; void f(void) { n++; p(); n--; }", [("f", "n", "count", RESTORED)]),
        ("int n; void f(void) { n -= 3; p(); n += 3; }", [("f", "n", "count", RESTORED)]),
        (LOCK + "void f(void) { enter(); p(); leave(); }",
         [("f", "unit0:depth", "count", RESTORED)]),
        ("void f(int *n) { struct s { int d; } *s = (void *)n; s->d++; p(); s->d--; }",
         [("f", ".d", "count", RESTORED)]),
        # Bits.
        ("struct s { int b; } g; void f(void) { g.b |= 4; p(); g.b &= ~4; }",
         [("f", "g.b", "bits", RESTORED)]),
        ("int b; void f(void) { b |= 4; p(); b &= ~2; }", []),
        # A closer takes back what its caller changed.
        ("int b; void f(void) { p(); b &= ~1; }", [("f", "b", "closer", RESTORED)]),
        # Helpers that change by cases.
        (STATE + "void f(void) { a(); p(); b(); }", [("f", "unit0:state", "helpers", RESTORED)]),
        (STATE + "void f(void) { state = -1; p(); b(); }",
         [("f", "unit0:state", "helpers", RESTORED)]),
        # Saved values: in a local, in a field, through getter and setter.
        ("int n; void f(void) { int old = n; n = 7; p(); n = old; }",
         [("f", "n", "saved", RESTORED)]),
        (GLOBALS + "void f(void *n) { void *old = get(); set(n); p(); set(old); }",
         [("f", "ctx.now", "saved", RESTORED)]),
        (GLOBALS + "void k(struct f *f) { f->old = get(); } "
         "void f(struct f *x, void *n) { k(x); set(n); p(); set(x->old); }",
         [("f", "ctx.now", "saved", RESTORED)]),
        ("struct s { int n; }; void f(struct s *s) { int old = s->n; s->n = 1; p(); s->n = old; }",
         [("f", ".n", "saved", RESTORED)]),
        # A flag's writes do not tell which value is the safe one.
        ("int busy; void f(void) { busy = 1; p(); busy = 0; }", [("f", "busy", "flag", LEFT)]),
        # Made on some paths only.
        ("int n; void f(int a) { if (a) n++; p(); if (a) n--; }", [("f", "n", "count", LEFT)]),
        # A return keeps the change: the count may be data.
        ("int n; void f(int a) { n++; if (q(a)) { n--; } n += 7; }", [("f", "n", "count", LEFT)]),
        ("int n; int f(int a) { n++; if (q(a)) return 1; n--; return 0; }",
         [("f", "n", "count", LEFT)]),
        # Nested pairs. In the case below them, the second change is no statement of its own.
        ("int n; void f(void) { n++; p(); n += 2; p(); n -= 2; p(); n--; }",
         [("f", "n", "count", RESTORED)]),
        ("int n; int f(void) { n++; p(); return n--; }", [("f", "n", "count", LEFT)]),
        # Polls and back edges.
        ("unsigned gpusnek_poll_budget; void porter_poll_loop(int raises) { } "
         "_Noreturn void g(void) { } int n; "
         "void f(unsigned long a) { n++; while (a--) { } n--; }",
         [("f", "n", "count", RESTORED)]),
        # No pair: nothing raises between, it is taken back before, or no path leads there.
        ("int n; void f(void) { n++; n--; p(); }", []),
        ("int n; void g(void) { } void f(void) { n++; g(); n--; }", []),
        ("int n; void f(int a) { if (a) { n++; } else { p(); n--; } }", []),
        ("int n; void f(void) { int k = 0; k++; p(); k--; n = k; }", []),
        ("int n; void f(int a) { n++; if (a) { n--; return; } n--; p(); }", []),
        ("int n; void f(int a) { for (;;) { n++; if (a) break; n--; p(); } n--; }", []),
        ("int n; void f(int a) { switch (a) { case 1: n++; break; default: p(); } n--; }", []),
        # Elements are data.
        ("void f(int *a, int i) { int old = a[i]; a[i] = 1; p(); a[i] = old; }", []),
    ],
)  # fmt: skip
def test_pairs_of_small_programs(text: str, expected: Found) -> None:
    assert brief(pairs(RAISES + text)) == expected


def test_helpers_of_other_units() -> None:
    lock = "int depth; void up(void) { depth++; } void down(void) { depth--; }"
    use = RAISES + "void up(void); void down(void); void f(void) { up(); p(); down(); }"
    assert brief(pairs(lock, use)) == [("f", "depth", "count", RESTORED)]
    assert brief(pairs(lock, use.replace("down();", "up();"))) == []


def test_a_function_that_may_raise_is_no_helper_by_what_it_calls() -> None:
    chain = "int d; void up(void) { d++; p(); } void g(void) { up(); } "
    assert brief(pairs(RAISES + chain + "void f(void) { g(); p(); d--; }")) == []


# `tries` unwinds out of `inner` in five ways, `landing` lands in itself; what is left is printed.
PROGRAM = """
#include <setjmp.h>
void put(const char *what, long value);
static jmp_buf top; int depth, bits, *now, home, away, swept;
void up(void) { depth++; } void down(void) { depth--; }
void fail(int a) { if (a) longjmp(top, 1); }
void closing(int a) { fail(a == 3); swept = 1; bits &= ~2; }
int inner(int a) {
    int *old = now;
    now = &away;
    up();
    for (int i = 0; i < 3; i++) { depth += 5; fail(a == 1 && i == 2); depth -= 5; }
    fail(a == 2);
    bits |= 2;
    closing(a);
    down();
    now = old;
    fail(a == 4);
    return 1;
}
int landing(int a) {
    int value = 7;
    up();
    if (setjmp(top) == 0) { depth += 100; fail(a); depth -= 100; } else { value = 8; }
    value += 10 * depth;
    down();
    return value;
}
int tries(int a) {
    now = &home;
    if (setjmp(top) == 0) { return inner(a); }
    return 0;
}
int program(void) {
    for (int a = 0; a < 5; a++) {
        put("inner", tries(a));
        put("left", depth * 100 + bits * 10 + (now == &home));
    }
    put("landing", landing(0));
    put("landing", landing(1));
    put("left", depth);
    return 0;
}
"""


def test_what_unwinds_takes_the_changes_back(tmp_path: Path) -> None:
    (tmp_path / "early.c").write_text(PROGRAM)
    libc = paths.templates_dir() / "libc"
    command = ["gcc", "-E", "-std=gnu99", "-nostdinc", f"-I{libc}", "early.c", "-o", "early.i"]
    run_tool(command, tmp_path)
    cxx = rewrite_all({"early": (tmp_path / "early.i").read_text()})
    sources = [str(path) for path in cxx.write(tmp_path)]
    host = Path(__file__).with_name("programs") / "host.cpp"
    build = ["g++", *CXX_FLAGS, "-O2", f"-I{tmp_path}", f"-I{RUNTIME}", *sources, str(host)]
    run_tool([*build, "-o", "early"], tmp_path)
    assert run_tool(["./early"], tmp_path).splitlines() == [
        *["inner: 1", "left: 1"],
        *["inner: 0", "left: 1"] * 4,
        *["landing: 17", "landing: 18", "left: 0"],
    ]


def test_every_reason_names_what_it_is_for() -> None:
    for reason in reasons():
        assert (reason.file, reason.function, reason.path) != ("*", "*", "*")
        assert reason.reason.endswith(".")


def test_no_pair_is_left_in_the_newest_release(built: pipeline.Build) -> None:
    result = CliRunner().invoke(rules.command, ["--early-exits", "--release", builds.release()])
    assert result.exit_code == 0, result.output
    assert "fun_bc_call" in result.output and "gc_collect_end" in result.output


def test_a_pair_that_is_left_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    unit = tmp_path / "u.i"
    unit.write_text(RAISES + "int busy; void f(void) { busy = 1; p(); busy = 0; }")
    report = rewrite({"u": unit}, tmp_path / "cxx", jobs=1)
    assert brief(list(report.pairs)) == [("f", "busy", "flag", LEFT)]
    again = rewrite({"u": unit}, tmp_path / "cxx", jobs=1)
    assert (again.rewritten, again.pairs) == ((), report.pairs)
    monkeypatch.setattr(rules, "early_exits_of", lambda config, jobs, progress: report.pairs)
    result = CliRunner().invoke(rules.command, ["--early-exits"])
    assert isinstance(result.exception, UnknownConstruct)
    assert "busy" in str(result.exception) and "f" in str(result.exception)


@pytest.mark.campaign("releases")
@pytest.mark.parametrize("release", ["1.25.0", "1.26.1", "1.27.0"])
def test_no_pair_is_left_in_any_release(release: str) -> None:
    found = rules.early_exits_of(BuildConfig(release=release), 2, QUIET)
    assert [pair for pair in found if pair.status == LEFT] == []
    assert {pair.status for pair in found} == {RESTORED, HARMLESS}
