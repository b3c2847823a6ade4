"""Cases of the rule targets."""

from __future__ import annotations

SNIPPETS = {
    "member": "struct s { int (*f)(int); }; int f(struct s *s) { return s->f(1) + (*s->f)(2); }",
    "element": "void a(void), b(void); void (*const t[])(void) = {a, &b}; "
    "void f(int n) { t[n](); }",
    "cast": "typedef int (*fun)(int); int f(const void *p) { return ((fun)p)(1); }",
    "choice": "int a(int), b(int); int f(int n) { return (n ? a : b)(n); }",
    "several arguments": "int (*p)(int, ...); int f(int n) { return p(n, n, 1.0); }",
    "named": "int g(int); int f(int n) { return g(n) + (*g)(n) + (&g)(n); }",
    "static": "static int g(int n) { return n; } int f(int (*p)(int)) { return (p ? p : g)(1); }",
    "static once": "static int g(int); int (*const p)(int) = g; int g(int n) { return n; }",
    "keyword": "int new(int n) { return n; } int (*const p)(int) = new;",
    "builtin": "int f(int n) { return __builtin_abs(n); }",
}
MEETS = {
    "keywords": "int f(int (*new)(int)) { return new(1); }",
    "tentative": "static int (*const k)(int); int f(void) { return k(1); } "
    "static int (*const k)(int) = 0;",
    "state": "int (*p)(int); int f(void) { return p(1); }",
    "unwinding": "int (*g(int))(int); int (*(*p)(void))(int); int f(void) { return p()(1); }",
}
