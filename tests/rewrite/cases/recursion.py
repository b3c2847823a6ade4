"""Cases of the rule recursion."""

from __future__ import annotations

from ..case import CALLS, CHECK

SNIPPETS = {
    "mutual": "void mp_cstack_check(void); void g(void) { mp_cstack_check(); } int b(int); "
    "int a(int n) { return n ? b(n - 1) : 0; } int b(int n) { return a(n); }",
    "checked": "void mp_cstack_check(void); "
    "int a(int n) { mp_cstack_check(); return n ? a(n - 1) : 0; }",
}
MEETS = {
    "arrays": CHECK + "int f(int n) { x: "
    "for (int i = 0; i < 3; i++) { char t[n]; t[0] = 0; } if (n) goto x; return f(n); }",
    "unwinding": CALLS + CHECK + "int f(long **b) { if (setjmp(*b)) return 1; return f(b) + 1; }",
}
