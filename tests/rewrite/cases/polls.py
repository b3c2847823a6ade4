"""Cases of the rule polls."""

from __future__ import annotations

from ..case import POLL

SNIPPETS = {
    "a pair around": "unsigned gpusnek_poll_budget; void porter_poll_loop(int raises) { } "
    "_Noreturn void g(void) { } int n; "
    "void f(unsigned long a) { n++; while (a--) { if (a == 3) continue; } n--; }",
    "without braces": POLL + "int f(long n) { int s = 0; while (n--) s++; return s; }",
    "continue": POLL + "void f(long n) { for (; n; n -= 3) { if (n & 1) continue; else n--; } }",
    "empty": POLL + "int h(void); void f(void) { while (h()); for (;;) if (h()) return; }",
    "do": POLL + "void f(long n) { do n--; while (n); do { n++; } while (0); }",
    "nested without braces": POLL + "void f(long n, long m) "
    "{ for (; n; n--) for (long i = m; i; i--) if (i == n) m--; else n++; }",
    "goto": POLL + "int f(long n) { again: if (n > 3) goto again; else n--; return n; }",
    "expression": POLL + "int f(long n) { return ({ while (n > 1) n -= 2; n; }); }",
    "that may raise": POLL + "int (*p)(void); void f(void) { while (p()) { } }",
    "landing": POLL + "int setjmp(long *); int (*p)(void); int f(long n) "
    "{ long b[4]; if (setjmp(b)) return 1; while (n--) p(); return 0; }",
    "before a call": POLL + "int fill(int *a, int n) { while (n--) a[n] = 0; return n; } "
    "int f(int *a, int n) { for (int i = 0; i < n; i++) if (a[i] && fill(a, n)) return 1; "
    "return 0; }",
    "bounded": POLL + "struct T { struct T *next; int n; }; "
    "int f(struct T *t, const char *s, int *a, unsigned n) { int r = 0; "
    "for (; t; t = t->next) r += t->n; while (*s++) r++; for (unsigned i = 0; i < n; i++) "
    "r += a[i]; for (int i = 0; i < 9; i++) r++; while (n) n >>= 1; do r++; while (0); return r; }",
}
