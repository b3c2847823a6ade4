"""Cases of the rule literals."""

from __future__ import annotations

from ..case import Refused

SNIPPETS = {
    "struct": "struct p { int x, y; }; int g(const struct p *); "
    "int f(int a) { return g(&(struct p){1, a}); }",
    "const member": "struct p { const int x; int y; }; int g(const struct p *); "
    "int f(int a) { return g(&(struct p){a}); }",
    "rest": "int g(int *); int f(int a) { return g((int[4]){a, 1}); }",
    "designated": "int g(int *); int f(int a) { return g((int[3]){[2] = a}); }",
    "structs": "struct p { int x, y; }; int g(struct p *); "
    "int f(int a) { return g((struct p[]){{1, a}, {2}}); }",
    "file": "struct p { int x, y; }; const struct p *const p = &(const struct p){1, 2}; "
    "const int *const t = (const int[]){3, 4};",
    "member": "struct p { int n[3]; }; int *f(int a) { return (struct p){{a, 2}}.n; }",
    "value": "struct p { int x, y; }; struct p f(int a) { return (struct p){a, 2}; }",
}
REFUSED = [
    Refused(
        "void f(void) { int *p = ⟦(struct { int a[2]; }){{1}}⟧.a; }",
        "a compound literal of a type without a name",
    ),
    Refused("int *const p = ⟦(int[]){1, 2}⟧;", "mutable compound literal"),
    Refused(
        "const int (*f(void))[2] { return ⟦(const int[2][2]){{1}}⟧; }",
        "a compound literal of such an array",
    ),
    Refused('const char *f(void) { return (char[]){⟦"ab"⟧}; }', "such an item"),
    Refused(
        "struct s { int a, b; };\nstruct s *f(void) { return (struct s[]){⟦1⟧, 2}; }",
        "braces are left out",
    ),
]
MEETS = {
    "types": "const unsigned long *const p = (const unsigned long[]){sizeof(struct { int a; })};",
}
