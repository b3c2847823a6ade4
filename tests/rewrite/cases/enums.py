"""Cases of the rule enums."""

from __future__ import annotations

from ..case import Refused

SNIPPETS = {
    "steps": "enum e { A, B }; void f(enum e *p) { (*p)++; --*p; }",
    "loop": "enum e { A, B }; int f(void) { int n = 0; "
    "for (enum e e = A; e <= B; e++) { n++; } return n; }",
    "and": "enum e { A, B }; void f(enum e e) { e &= ~B; e <<= 1; }",
    "shift": "enum e { A, B }; void f(enum e e) { e >>= 1; }",
}
REFUSED = [
    Refused(
        "enum e { A };\nint g(enum e);\nint f(enum e e) { return g(⟦e++⟧); }",
        "the value of a postfix step",
    ),
    Refused("enum e { A, B };\nvoid f(enum e *p) { ⟦*p++⟧ |= B; }", "where its place has effects"),
]
