"""Cases of the rule casts."""

from __future__ import annotations

from ..case import Refused

SNIPPETS = {
    "arguments": "void g(char *, const unsigned char *); "
    "void f(void *p, char *s) { g(p, (void *)s); }",
    "enum": "enum e { A, B }; enum e f(int a) { enum e e = a; e = a + 1; return a & B; }",
    "const enum": "enum e { A, B }; const enum e k = B; unsigned f(int a) { return a ^ k; }",
    "function": "int g(int); const void *const slot = g; void *f(void) { return g; }",
    "narrowing": "struct s { unsigned char c; float f; }; "
    "struct s f(int a, double d) { struct s s = {a, d}; return s; }",
    "const": "void g(char *); void f(const char *s) { g(s); }",
    "const pointer": "void f(void *p) { char *const q = p; const char *const *r = p; "
    "(void)q; (void)r; }",
    "array parameter": "void g(int a[3]); void f(void *p) { g(p); }",
    "conditional": "int *f(int *a, void *b, int c) { return c ? a : b; }",
    "pointer to integer": "typedef unsigned long word; word f(int *p) { return p; } "
    "_Bool g(int *p) { return p; }",
    "nameless": "int g(void); const struct { int a; } s; "
    "int f(void *p) { return &s == p || &s != 0; }",
    "null": "int *f(void) { int *p = ((void *)0); p = 0; return p; }",
}
REFUSED = [
    Refused(
        "void *g(void);\nvoid f(void) { struct { int a; } *p; p = ⟦g()⟧; }", "a type without a name"
    ),
]
MEETS = {
    "sandbox": "typedef void *mp_obj_t; long get(mp_obj_t); "
    "char *f(mp_obj_t o) { return (void *)get(o); }",
    "keywords": "int *f(void *new) { return new; }",
    "tags": "struct A { enum E { X } e; }; enum F { Y }; enum F f(void) { return X; }",
    "tentative": "static void *const k; int *f(void) { return k; } static void *const k = 0;",
    "state": "void *k; int *f(void) { return k; }",
    "decay": "const char k[1] = {1}; const unsigned char *const p = k;",
    "literals": "char *f(void) { return (unsigned char[]){1}; }",
    "enums": "enum E { A }; enum F { B }; enum F f(enum E e) { return e |= 1; }",
    "sizes": "struct P { int a; }; const struct P k = {sizeof('a')};",
    "unwinding": "void *(*p)(void); int *f(void) { int *q = p(); return q; }",
    "quantities": "void *gc_alloc(unsigned long, int); struct s { int n; }; "
    "void *f(long n) { struct s s = {n}; return gc_alloc(s.n, 0); }",
}
