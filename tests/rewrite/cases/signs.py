"""Cases of the rule signs."""

from __future__ import annotations

SNIPPETS = {
    "without a middle": "enum E { A, B }; long f(int a, enum E e) { return (a ?: e) | -1; }",
    "unary": "enum e { A }; int f(enum e e) { return -e > 0; }",
    "wider": "enum e { A }; long f(enum e e, long n) { n -= e; return n == e ? n + e : n; }",
    "assigned": "enum e { A }; int f(enum e e, int n) { n /= e; n += e; return n; }",
    "negative": "enum e { A = -1 }; int f(enum e e) { return e - 1 < 0; }",
    "equal": "enum e { A }; int f(enum e e) { return e == A; }",
    "conditional": "enum e { A }; long f(enum e e, int c) { return (c ? e : 0u) - 1; }",
}
MEETS = {
    "keywords": "enum E { A }; int f(enum E new) { return new - 1 < 0; }",
    "state": "enum E { A }; enum E e; int f(void) { return e - 1 < 0; }",
    "enums": "enum E { A }; int f(enum E e) { return ++e - 1 < 0; }",
}
