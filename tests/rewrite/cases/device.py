"""Cases of the rule device."""

from __future__ import annotations

SNIPPETS = {
    "static": "static const int k = 1; static int f(void) { return k; }",
    "extern": "extern const int k; const int k = 2; typedef int t; struct s { int a; };",
    "flexible": "struct s { int n; int t[]; }; const struct s k = {2, {1, 2}};",
}
MEETS = {
    "types": "unsigned long f(void) { return sizeof(struct { int a; }); }",
    "externs": "int f(void) { extern const int k; return k; }",
    "tentative": "\nconst int k; int f(void) { return k; }",
    "state": "int n; int f(void) { return n; }",
    "literals": "const int *const p = (const int[]){1};",
    "targets": "int g(void); int (*const p)(void) = g;",
    "cycles": "struct T { const struct T *t; }; const struct T k = {&k};",
}
