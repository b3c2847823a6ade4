"""Cases of the rule returns."""

from __future__ import annotations

SNIPPETS = {
    "void": "void f(int a) { if (a) return; }",
    "empty": "int f(void) { }",
    "loop": "int f(void) { for (;;) { } }",
}
