"""Cases of the rule quantities."""

from __future__ import annotations

_HEAP = (
    "typedef unsigned long size_t; void *gc_alloc(size_t n, int flags); "
    "void *memcpy(void *, const void *, size_t); "
)

SNIPPETS = {
    "through a caller": _HEAP + "static void *m(size_t n) { return gc_alloc(n, 0); } "
    "void *f(size_t n) { return m(sizeof(long) * n); }",
    "a field": _HEAP + "struct s { size_t n; }; void f(struct s *s, long by) { s->n += by; } "
    "void *g(struct s *s) { return gc_alloc(s->n * s->n, 0); }",
    "a bit-field": _HEAP + "struct s { size_t n : 60; }; "
    "void *f(struct s *s, size_t by) { s->n += by; s->n *= 2; return gc_alloc(s->n, 0); }",
    "an out-parameter": _HEAP + "static void get(int *n, int d) { *n = *n * 10 + d; } "
    "void *f(int d) { int n = 0; get(&n, d); return gc_alloc(n, 0); }",
    "a rounding": _HEAP + "void *f(size_t n) { return gc_alloc(((n + 16) & ((~0U) - 7)) + 8, 0); }",
    "rounded up": _HEAP + "void *f(size_t n) { return gc_alloc((n + 32 - 1) / 32, 0); }",
    "a shift": _HEAP + "void *f(int n) { size_t w = (size_t)1 << n; return gc_alloc(w, 0); }",
    "narrowed": _HEAP + "void *f(size_t n) { unsigned m = n; int k = (int)n; "
    "return gc_alloc(k ? m : k, 0); }",
    "negative": _HEAP
    + "long get(void); void *f(void) { size_t n = get(); return gc_alloc(n, 0); }",
    "negative by intention": _HEAP + "long get(void); void *f(void) { size_t n; "
    "if ((n = get()) == -1) return 0; return gc_alloc(n, 0); }",
    "recursive": _HEAP + "void *f(size_t n) { return n > 9 ? gc_alloc(n, 0) : f(n + n); }",
    "through a pointer": _HEAP + "static void *m(size_t n) { return gc_alloc(n, 0); } "
    "void *(*p)(size_t) = m; void *f(size_t n) { return p(n * n); }",
    "no size": _HEAP + "unsigned long f(unsigned long a) { return a * a + (a << 3); }",
    "small types": _HEAP + "void *f(unsigned char a, short b) { size_t n = a * b; "
    "return gc_alloc(n + a, 0); }",
    "bits": _HEAP + "void *f(unsigned long v, unsigned char c) { "
    "size_t n = (v << 7) + (c & 0x7f), m = (v << 16) >> 17, k = (v * 3) & 0xff; "
    "return gc_alloc(n | m | k, 0); }",
    "constants": _HEAP + "enum { N = 3 * 5 }; static char t[N * 2]; "
    "void *f(void) { static long k = N * 4; return memcpy(t, &k, N * 2 - 22); }",
}
MEETS = {
    "keywords": _HEAP + "void *f(long new) { return gc_alloc(new, 0); }",
    "state": _HEAP + "long n; void *f(void) { return gc_alloc(n, 0); }",
    "divisions": _HEAP + "void *f(long a, long b) { return gc_alloc(a / b, 0); }",
    "unwinding": _HEAP + "long (*p)(void); void *f(void) { return gc_alloc(p(), 0); }",
}
