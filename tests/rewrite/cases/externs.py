"""Cases of the rule externs."""

from __future__ import annotations

from ..case import Refused

SNIPPETS = {
    "function": "int f(int a) { int g(int); return g(a); }",
    "array": "int f(void) { extern const int t[3]; return t[1]; }",
}
REFUSED = [
    Refused(
        "const int a = 1, b = 2;\nint f(void) { ⟦extern const int a⟧, b; return a + b; }",
        "several external names",
    ),
]
MEETS = {
    "types": "unsigned long f(void) { extern const int k; return sizeof(struct { int a; }) + k; }",
}
