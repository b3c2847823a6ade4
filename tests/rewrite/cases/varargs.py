"""Cases of the rule varargs."""

from __future__ import annotations

from ..case import CALLS

SNIPPETS = {
    "narrow": "void f(int n, ...); "
    "void g(char c, unsigned u, _Bool b) { f(1, c, u, b, 2, 3u, 'x'); }",
    "wide": "void f(int n, ...); void g(long l, void *p, double d) { f(1, l, p, d); }",
    "enum": "enum e { A, B }; void f(int n, ...); void g(enum e e) { f(1, e, B); }",
    "fixed": "void f(int n, ...); void g(short s) { f(s); }",
    "pointer": "void (*f)(int, ...); void g(int i) { f(i, i); }",
    "read": "double f(int n, ...) { __builtin_va_list a; __builtin_va_start(a, n); "
    "unsigned u = __builtin_va_arg(a, unsigned); char *s = __builtin_va_arg(a, char *); "
    "double d = __builtin_va_arg(a, double); __builtin_va_end(a); return s ? d + u : 0; }",
}
MEETS = {
    "keywords": CALLS + "void f(int new) { v(1, new); }",
    "tags": CALLS + "struct A { enum E { X } e; }; void f(void) { v(1, X); }",
    "tentative": CALLS + "static const int k; void f(void) { v(1, k); } static const int k = 1;",
    "state": CALLS + "int k; void f(void) { v(1, k); }",
    "enums": CALLS + "enum E { A }; void f(enum E e) { v(1, e |= 1); }",
    "unwinding": CALLS + "void f(void) { v(1, p()); }",
}
