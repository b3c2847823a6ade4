"""Cases of the rule jumps."""

from __future__ import annotations

from ..case import Refused

SNIPPETS = {
    "several": "int f(int a) { if (a) goto out; int b = a, *p = &b; return *p; out: return 0; }",
    "array": "int f(int a) { if (a) goto out; int t[2] = {a, 1}; return t[1]; out: return 0; }",
    "const": 'int f(int a) { if (a) goto out; const int b = a; const char *const s = "x"; '
    "return b + *s; out: return 0; }",
    "switch": "int f(int a) { switch (a) { case 1:; int b = a; return b; default: return 0; } }",
    "loop": "int f(int a) { if (a) goto in; for (int i = 0; i < 3; i++) { in: a++; } return a; }",
    "function pointer": "int g(int); int f(int a) { if (a) goto out; int (*p)(int) = g; "
    "return p(a); out: return 0; }",
    "backward": "int f(int a) { again:; int b = a + 1; if (b < 3) { a = b; goto again; } "
    "return b; }",
}
REFUSED = [
    Refused(
        "int f(int a) { if (a) goto out; int const b = a, ⟦c = 2⟧; out: return a; }",
        "whose const stands elsewhere",
    ),
    Refused(
        "int f(int a) { if (a) goto in; for (⟦int b[2] = {1};⟧ a; a--) { in: a++; } return a; }",
        "a jump into a loop",
    ),
]
