"""Cases of the rule arrays."""

from __future__ import annotations

from ..case import CALLS, Refused

SNIPPETS = {
    "loop": "int f(int n) { int s = 0; for (int i = 0; i < 9; i++) "
    "{ int t[n + 1]; t[0] = i; s += t[0]; } return s; }",
    "pointers": "void f(int n) { const char *t[2 * n]; t[0] = 0; }",
    "jump into a loop": "int f(int n) { int s = 0; if (n > 4) goto in; "
    "for (int i = 0; i < 9; i++) { { int t[n + 1]; t[0] = i; s += t[0]; } in: s++; } "
    "return s; }",
    "loop below if": "int f(int n) { int s = n; if (s) "
    "while (--s) { char t[n + 1]; t[0] = s; } return s; }",
    "size of an element": "int f(int n) { int t[n]; return sizeof(t[0]) + sizeof n; }",
}
REFUSED = [
    Refused("void f(int n) { ⟦int a[n][n]⟧; }", "more than one variable bound"),
    Refused("int f(int n) { int a[n]; return ⟦sizeof(a)⟧; }", "the size of an array"),
    Refused("void f(int n) { ⟦int a[n]⟧, b; }", "beside other declarators"),
    Refused("void f(int n) { while (n--) { ⟦int a[n]⟧; } }", "changes in a loop"),
    Refused("void f(int n) { if (n) while (1) { ⟦int a[n]⟧; n++; } }", "changes in a loop"),
    Refused("void *f(int n) { int a[n]; return ⟦&a⟧; }", "the address of an array"),
]
MEETS = {
    "literals": CALLS + "int h(int *); int f(int n, int m) "
    "{ while (h((int[]){n--})) { char s[m]; s[0] = 0; } return n; }",
}
