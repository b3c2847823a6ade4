"""Cases of the rule state."""

from __future__ import annotations

from ..case import Refused

SNIPPETS = {
    "local": "int f(void) { static int n = 3, m; return n++ + m++; }",
    "array": 'static char t[4] = "ab"; char f(int a) { t[a] = 1; return t[a]; }',
    "holder": "static int n; int *const p = &n; int f(void) { return *p; }",
    "extern": "extern int n; int f(void) { return n++; } int n = 1;",
    "tag": "static struct s { int a; } s; int f(void) { return s.a++; }",
    "function pointer": "static int (*p)(int); int f(int a) { return p ? p(a) : 0; }",
}
REFUSED = [
    Refused(
        "struct s { int a; };\nint n = 1;\n⟦const struct s a = {1}⟧, *p = &a;",
        "state and constants in one declaration",
    ),
    Refused("static struct { int a; } s;\nint f(void) { return ⟦s⟧.a++; }", "no name"),
    Refused(
        "struct t { int n; int tail[]; };\n⟦static struct t s = {1, {2, 3}}⟧;",
        "a mutable variable with an array of any length",
    ),
]
MEETS = {
    "keywords": "int new; int f(void) { return new; }",
}
