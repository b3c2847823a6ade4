"""Cases of the rule volatiles."""

from __future__ import annotations

from ..case import Refused

SNIPPETS = {
    "parameter": "int setjmp(long *); int f(volatile int a, long *b) "
    "{ int *volatile p = 0; if (setjmp(b) == 0) return a; return p != 0; }",
    "state": "struct held { volatile short b; "
    "struct { int *volatile p; volatile int *q; } c[2]; }; struct other { volatile int a; }; "
    "static struct held s; "
    "int f(struct other *o) { return s.b + *s.c[1].p + *s.c[1].q + o->a; }",
    "several": "struct held { volatile int a, b; }; static struct held s; "
    "int f(void) { return s.a + s.b; }",
    "elsewhere": "int f(volatile int *p) { volatile int a = *p; return a; }",
}

REFUSED = [
    Refused(
        "struct held { ⟦volatile int a⟧, *p; }; static struct held s; "
        "int f(void) { return s.a + *s.p; }",
        "volatile shared with what points to others' memory",
    ),
]
