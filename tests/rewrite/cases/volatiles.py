"""Cases of the rule volatiles."""

from __future__ import annotations

SNIPPETS = {
    "parameter": "int setjmp(long *); int f(volatile int a, long *b) "
    "{ int *volatile p = 0; if (setjmp(b) == 0) return a; return p != 0; }",
    "elsewhere": "int f(volatile int *p) { volatile int a = *p; return a; }",
}
