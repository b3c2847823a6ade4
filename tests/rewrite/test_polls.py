"""Loops with polls: those that neither a constant nor memory bounds."""

from __future__ import annotations

import pytest

from porter.rewrite.poll_sites import NESTED

from .case import POLL
from .support import parse, whole_program

HEAD = POLL + "int h(int); int (*p)(int); struct T { struct T *next; int n, *a; }; "
BOUNDED = {
    "constant": "for (int i = 0; i < 100; i++) n++;",
    "constant, down": "for (int i = 100; i > 0; i--) n++;",
    "shrinking": "unsigned long u = n; while (u) u /= 10;",
    "once": "do { n++; } while (0);",
    "index": "for (int i = 0; i < n; i++) a[i + 1] = 0;",
    "pointer": "while (n--) *s++ = 0;",
    "condition": "while (*s != 0 && *s != 7) s++;",
    "backwards": "while (n > 0 && a[n - 1] == 0) --n;",
    "chain": "for (; t; t = t->next) n += t->n;",
    "chain by two": "while (t) { struct T *next = t->next; t->n = 0; t = next; }",
    "table": "int i = n % 7; for (;;) { if (a[i] == n || p(a[i])) break; i = (i + 1) % 7; }",
    "halving": "unsigned u = n; while (u - m > 1) { unsigned at = (u + m) / 2; "
    "if (a[at]) u = at; else m = at; }",
    "chain of arrays": "for (; t; t = t->next) for (int i = 0; i < 9999; i++) n += t->a[i];",
    "leaving": "for (int i = 0; i < n; i++) if (a[i] == 0) { p(i); return i; }",
    "look": "while (n) gpusnek_poll();",
    "own": "while (n) { if (--gpusnek_poll_budget == 0) p(1); }",
    "own, jump": "for (;;) { again: if (--gpusnek_poll_budget == 0) p(1); if (n) goto again; }",
}
UNBOUNDED = {
    "count": "for (int i = 0; i < n; i++) m++;",
    "constant, large": "for (int i = 0; i < 1000000; i++) m++;",
    "step of nothing": "for (int i = 0; i < n; i += m) a[i] = 0;",
    "pointer by nothing": "while (n--) { *s = 0; s += m; }",
    "both ways": "for (int i = 0; i < n; i++) { if (a[i]) i -= 2; }",
    "now and then": "for (int i = 0; i < n; i++) { if (m) a[i] = 0; }",
    "skipped": "for (int i = 0; i < n; i++) { if (m) continue; a[i] = 0; }",
    "address known": "for (int i = 0; i < n; i++) { a[i] = 0; h((long)&i); }",
    "negative": "while (m) m >>= 1;",
    "narrow": "for (unsigned char i = 0; i < n; i++) a[i] = 0;",
    "product": "for (int i = 0; i < n; i++) { a[i] = 0; for (int j = 0; j < m; j++) a[j] = 0; }",
    "product by call": "for (int i = 0; i < n; i++) a[i] = fill(a, n);",
    "unknown call": "for (int i = 0; i < n; i++) a[i] = p(i);",
    "back": "again: if (--n) goto again;",
}
FILL = "int fill(int *a, int n) { for (int i = 0; i < n; i++) a[i] = 0; return 0; } "
LOOK = "void gpusnek_poll(void) { } "


def polls(text: str) -> dict[int, bool]:
    function = f"int f(int n, int m, int *a, char *s, struct T *t) {{ {text} return 0; }}"
    program = whole_program(parse(HEAD + FILL + LOOK + function))
    assert ("f" in program.raising) >= ("f" in program.polls)
    return {number: poll.raises for number, poll in program.polls.get("f", {}).items()}


@pytest.mark.parametrize("name", BOUNDED)
def test_a_bounded_loop_does_not_poll(name: str) -> None:
    assert not polls(BOUNDED[name])


@pytest.mark.parametrize("name", UNBOUNDED)
def test_any_other_loop_polls(name: str) -> None:
    assert polls(UNBOUNDED[name])


def test_a_poll_raises_only_where_the_loop_could() -> None:
    assert polls("while (m--) n++;") == {0: False}
    assert polls("while (m--) p(n);") == {0: True}


def test_a_poll_stands_before_a_call_that_comes_now_and_then() -> None:
    function = (
        "int f(int n, int *a) { for (int i = 0; i < n; i++) if (a[i]) fill(a, n); return 0; }"
    )
    polled = whole_program(parse(HEAD + FILL + function)).polls["f"][0]
    assert polled.before == ("fill",) and not polled.raises


def test_a_turn_that_runs_a_loop_draws_more() -> None:
    function = "int f(int n, int *a) { while (n--) { fill(a, n); } while (n--) h(n); return 0; }"
    polled = whole_program(parse(HEAD + FILL + function)).polls["f"]
    assert [poll.turns for poll in polled.values()] == [NESTED, 1]


def test_a_turn_that_runs_a_loop_in_some_cases_draws_one_unit() -> None:
    """An example is mp_binary_op(), which selects one operation of many."""
    pick = "void pick(int *a, int n, int k) { if (k == 7) "
    pick += "{ for (int i = 0; i < n; i++) a[i] = 0; } else { for (; n; n -= 2) h(n); } } "
    function = "int f(int n, int *a) { while (n--) { pick(a, n, n); } return 0; }"
    polled = whole_program(parse(HEAD + pick + function)).polls["f"]
    assert [poll.turns for poll in polled.values()] == [1]


REPAID = """int f(const char *s, const char *top) {{ int n = 0, later = 0; while (s < top) {{ h(n);
    if (*s++ == '0') {up}; else while ({condition}) {{ n += 7; {down}; }} }} return n; }}"""


@pytest.mark.parametrize(
    "up, condition, down, nested",
    [
        ("later++", "later", "--later", False),
        ("later += 1", "later > 0", "later--", False),
        ("later++", "later != 0", "later = later - 1", False),
        ("later += 2", "later", "--later", True),
        ("later = 9", "later", "--later", True),
        ("later++", "later", "--later, later = later", True),
        ("later++", "n", "--later", True),
    ],
)
def test_a_loop_that_counts_down_what_its_outer_loop_counted_is_not_nested(
    up: str, condition: str, down: str, nested: bool
) -> None:
    """The parser of floats counts zeros, and adds them later."""
    function = REPAID.format(up=up, condition=condition, down=down)
    polled = whole_program(parse(HEAD + function)).polls["f"]
    assert (NESTED in [poll.turns for poll in polled.values()]) == nested


@pytest.mark.parametrize(
    "condition, units",
    [("*p++ & 0x80", 1), ("(*p++ & 0xc0) == 0x80", 1), ("(*p++ & 0x80) != 0", 1), ("*p++", NESTED)],
)
def test_an_item_of_several_bytes_is_no_loop_over_memory(condition: str, units: int) -> None:
    """Integers of bytecode and characters in UTF-8 are such items."""
    skip = f"byte *skip(byte *p) {{ while ({condition}) {{}} return p; }} "
    function = "int f(int n, byte *a) { while (n--) { a = skip(a); h(n); } return 0; }"
    text = HEAD + "typedef const unsigned char byte; " + skip + function
    polled = whole_program(parse(text)).polls["f"]
    assert [poll.turns for poll in polled.values()] == [units]


def test_the_collector_does_not_poll() -> None:
    """Its callees do not poll either, unless the program calls them elsewhere."""
    loop = "{ for (int i = 0; i < n; i++) p = 0; }"
    text = f"void scan(int n) {loop} void other(int n) {{ h(n); p(n); for (; n; n -= 2) h(n); }} "
    text += "void gc_collect(void) { scan(7); other(7); }"
    assert whole_program(parse(HEAD + text)).polls.keys() == {"other"}


def test_a_search_of_a_map_does_not_poll() -> None:
    """The lookup cache, a hint, decides how many iterations a search has."""
    text = "int equal(int n) { for (; n; n -= 2) h(n); return p(n); } "
    text += "void mp_map_lookup(int n) { for (; n; n -= 2) equal(n); } "
    text += "void mp_set_lookup(int n) { for (; n; n -= 2) equal(n); }"
    assert whole_program(parse(HEAD + text)).polls.keys() == {"equal", "mp_set_lookup"}


def test_what_the_collector_calls_to_raise_polls() -> None:
    """A callee that never returns unwinds anyway."""
    loop = "{ for (int i = 0; i < n; i++) p = 0; }"
    text = f"void scan(int n) {loop} _Noreturn void fail(int n) {{ scan(n); for (;;) {{ }} }} "
    text += "void gc_collect(void) { fail(7); }"
    assert "scan" in whole_program(parse(HEAD + text)).polls


def test_callbacks_of_an_unwind_do_not_poll() -> None:
    loop = "{ for (int i = 0; i < n; i++) p = 0; }"
    text = f"void callbacks(int n) {loop} void other(int n) {loop} "
    text += "_Noreturn void nlr_jump(int n) { callbacks(n); for (;;) { } } "
    text += "void gc_collect(void) { nlr_jump(7); }"
    polls = whole_program(parse(HEAD + text)).polls
    assert "other" in polls and "callbacks" not in polls


@pytest.mark.parametrize("without", ["unsigned gpusnek_poll_budget;", "_Noreturn"])
def test_a_unit_that_is_no_part_of_the_interpreter_does_not_poll(without: str) -> None:
    text = POLL + "void f(long n) { while (n--) { } }"
    assert whole_program(parse(text)).polls
    assert not whole_program(parse(text.replace(without, ""))).polls
