"""Cases of the rule reentry."""

from __future__ import annotations

SNIPPETS = {
    "static": "static int f(int n) { return n > 1 ? f(n - 1) + (f)(n - 2) : n; } "
    "int g(void) { return f(3); }",
    "void": "void f(char *p) { if (*p) { f(p + 1); (&f)(p + 2); } }",
    "struct": "struct s { int a, b; }; struct s f(struct s x, const struct s *y) "
    "{ if (x.a) { x.a--; return f(x, y); } return *y; }",
    "others": "int b(int); int a(int n) { return n ? b(n - 1) : 0; } int b(int n) { return a(n); }",
    "pointer": "int f(int (*p)(int), int n) { return n ? p(n) : f(p, n + 1); }",
    "shadowed": "int f(int n) { int (*f)(int) = 0; return f ? f(n) : 0; }",
    "variadic": "int f(int n, ...) { return n ? f(n - 1, 2) : 0; }",
}
MEETS = {
    "keywords": "int new(int n) { return n ? new(n - 1) : 0; }",
}
