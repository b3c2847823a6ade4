"""Cases of the rule heads."""

from __future__ import annotations

from ..case import Refused

SNIPPETS = {
    "several": "int f(a, b) int *a, b; { return *a + b; } int g(void) "
    "{ int a = 1; return f(&a, 2); }",
    "kinds": "struct s { int n; }; long f(new, s, t, g) const char *new; struct s s; int t[3];"
    " void (*g)(int); { g(t[0]); return s.n + *new; }",
    "declared": "int f(unsigned char); int f(c) unsigned char c; { return c; }",
}
REFUSED = [
    Refused("int f(a) ⟦struct s { int n; }⟧ *a; { return a->n; }", "behind a function"),
]
