"""Cases of the rule noreturn."""

from __future__ import annotations

SNIPPETS = {
    "c11": "_Noreturn void f(void);",
    "list": "void f(int) __attribute__((noinline, noreturn));",
    "pointer": "struct s { void (*die)(void) __attribute__((noreturn)); };",
    "string": 'const char *f(void) { return "_Noreturn"; }',
}
