"""Cases of the rule rolled."""

from __future__ import annotations

from ..case import CALLS

SNIPPETS = {
    "kinds": "int f(int n) { int s = 0; for (int i = 0; i < 9; i++) s += i; while (n--) s *= 2; "
    "do { s--; } while (s > 40); return s; }",
    "nested": "int f(int n) { int s = 0; for (int i = 0; i < n; i++) for (int k = 0; k < 3; k++) "
    "while (s % 5) s += k; return s; }",
    "statements": "int f(int n) { if (n > 2) while (n > 2) n--; else do n++; while (n < 1); "
    "switch (n) { case 1: for (; n < 9; n++) { } break; default: while (n) n /= 2; } "
    "again: while (n < 3) { n++; if (n == 2) goto again; } return n; }",
}
MEETS = {
    "literals": CALLS + "int h(int *); int f(int n) { while (h((int[]){n})) n--; return n; }",
    "arrays": "void f(int n) { for (int i = 0; i < 9; i++) { char t[n + 1]; t[0] = i; } }",
    "unwinding": CALLS + "int f(long *b) { while (setjmp(b) == 0) { p(); } return 1; }",
}
