"""Cases of the rule divisions."""

from __future__ import annotations

SNIPPETS = {
    "constants": "int f(int a) { return a / 10 + a % (3 + 4) + 1 / 2 + a / -1; }",
    "sizes": "struct s { char c[64 / sizeof(long)]; }; enum { N = 3 }; "
    "unsigned long f(struct s *s) { return sizeof s->c / sizeof s->c[0] / (N * sizeof(int)); }",
    "zero": "int f(int a) { return a ? 1 : a / 0; }",
    "floats": "double f(double a, double b, int n) { a /= b; n /= b; return a / b + n; }",
    "widened": "unsigned long f(unsigned long a, int b) { return a / b; }",
    "small": "unsigned char f(unsigned char a, unsigned char b) { return a % b; }",
    "assigned": "long f(long *a, short b) { *a++ /= b; a[1] %= b + 1; return *a; }",
    "nested": "long f(long a, long b) { return a / (b % (a - 1)); }",
    "effects": "int g(void); int f(int a) { return g() / a++; }",
}
