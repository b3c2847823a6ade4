"""The backward slice from sizes of allocations, on small programs."""

from __future__ import annotations

import pytest

from porter.rewrite.integer_flow import operation
from porter.rewrite.integer_values import bits, constant
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Unit

from .support import parse, whole_program

HEAP = "typedef unsigned long size_t; void *gc_alloc(size_t n, int flags); "


def sized(*units: Unit) -> set[str]:
    """Return the text of the operators whose result reaches a size."""
    program = whole_program(*units)
    return {
        node.text
        for unit in units
        for node in unit.walk()
        if node.kind in (K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR)
        and operation(node) in program.sized.get(unit.name, ())
    }


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("void f(size_t a) { size_t b = a + 1; gc_alloc(b, a + 2); }", {"a + 1"}),
        ("size_t h(size_t a) { return a * 3; } void f(size_t a) { gc_alloc(h(a), 0); }", {"a * 3"}),
        ("void g(size_t *p) { *p *= 2; } void f(size_t a) { g(&a); gc_alloc(a, 0); }", {"*p *= 2"}),
        (
            "struct s { size_t a, b; }; void f(struct s *s) "
            "{ s->a = s->b + 1; s->b = s->a * 2; gc_alloc(s->a, 0); }",
            {"s->b + 1", "s->a * 2"},
        ),
        ("struct s { size_t a, b; }; void f(struct s *s) { s->b += 1; gc_alloc(s->a, 0); }", set()),
        ("void f(size_t a) { gc_alloc(a ? a << 1 : a / 2, 0); }", {"a << 1", "a / 2"}),
        ("void f(size_t a) { gc_alloc(({ size_t b = a * 5; b; }), 0); }", {"a * 5"}),
        ("void f(size_t a) { gc_alloc((a, a + 3), 0); }", {"a + 3"}),
        (
            "struct s { size_t n, m; }; struct s f(size_t a) "
            "{ struct s s = { .m = a * 7, .n = a * 9 }; gc_alloc(s.n, 0); return s; }",
            {"a * 9"},
        ),
        (
            "void f(char *p, char *q) { gc_alloc((size_t)(p + 5) - (size_t)q, 0); }",
            {"(size_t)(p + 5) - (size_t)q"},
        ),
        (
            "size_t f(size_t a) { return a ? f(a - 1) : 0; } void g(void) { gc_alloc(f(3), 0); }",
            set(),
        ),
        ("void f(size_t a) { int gc_alloc = 3; gc_alloc = a * 3; }", set()),
        # Bounds checks: a sum with an address, a distance between addresses.
        (
            "void n(size_t *t, size_t c) { size_t s; for (s = 0; c; c--) s += c; *t = s; } "
            "int f(char *p, char *e, size_t c) { size_t t; n(&t, c); return p + t > e; }",
            {"s += c"},
        ),
        ("int f(char *p, char *e, size_t a) { return (size_t)(e - p) < a * 3; }", {"a * 3"}),
        ("int f(char *p, char *e, size_t a) { a *= 3; return e - p < a; }", {"a *= 3"}),
        ("int f(size_t n, size_t a, size_t b) { return a + b <= n; }", set()),
        ("int f(char *p, char *e, size_t a, size_t b) { return p + a * b == e; }", set()),
        ("void gc_allo(size_t); void f(size_t a) { gc_allo(a * 3); }", set()),
    ],
)
def test_the_slice(text: str, found: set[str]) -> None:
    assert sized(parse(HEAP + text)) == found


def test_a_size_is_followed_to_another_unit() -> None:
    one = parse(
        "typedef unsigned long size_t; void *m(size_t); void f(size_t a) { m(a * 3); }", "a"
    )
    assert sized(one, parse(HEAP + "void *m(size_t n) { return gc_alloc(n, 0); }", "b")) == {
        "a * 3"
    }
    static = parse(HEAP + "static void *m(size_t n) { return gc_alloc(n, 0); }", "b")
    assert sized(one, static) == set()


@pytest.mark.parametrize(
    ("expression", "value", "size"),
    [
        ("(~0U) - 7", 0xFFFFFFF8, 32),
        ("~(unsigned long)31", 2**64 - 32, 64),
        ("-010 + 0x10 * 0b11", 40, 6),
        ("1 << 70", None, 31),
        ("(unsigned char)c + 1ul", None, 9),
        ("(unsigned char)c * (unsigned char)c", None, 16),
        ("n >> 60", None, 4),
        ("n & 0xff", None, 8),
        ("n % 1000", None, 10),
        ("(unsigned long)c", None, 64),
        ("1 / 0", None, 2),
    ],
)
def test_magnitudes(expression: str, value: int | None, size: int) -> None:
    unit = parse(f"void f(char c, unsigned long n) {{ ({expression}); }}")
    node = next(n for n in unit.walk() if n.kind == K.PAREN_EXPR)
    assert (constant(node), bits(node)) == (value, size)
