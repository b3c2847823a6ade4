"""Cases of the rule tentative."""

from __future__ import annotations

SNIPPETS = {
    "array": "static const int t[2]; int f(void) { return t[1]; } static const int t[2] = {1, 2};",
    "twice": "static const int a; static const int a; static const int a = 1; "
    "const int *f(void) { return &a; }",
    "zero": "static const int k; int f(void) { return k; }",
    "external": "extern const int k; const int k; int f(void) { return k; } const int k = 1;",
    "external zero": "struct s { int n; }; const struct s k; int f(void) { return k.n; }",
}
MEETS = {
    "keywords": "static const int new; static const int new = 1;",
}
