"""Cases of the rule keywords."""

from __future__ import annotations

SNIPPETS = {
    "field": "struct s { int new, class; }; int f(struct s *p) { return p->new + p->class; }",
    "string": "const char *f(void) { return \"new class\"; } char c(void) { return 'n'; }",
    "function": "int delete(int this); int f(void) { return delete(1); }",
    "label": "int f(int a) { if (a) goto try; a++; try: return a; }",
    "spellings": '_Static_assert(sizeof(int) == 4, "int"); int f(int *restrict p) '
    "{ register int a = *p; return a + _Alignof(long); }",
}
