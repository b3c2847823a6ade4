"""Cases of the rule initialisers."""

from __future__ import annotations

from ..case import Refused

SNIPPETS = {
    "nested": "struct p { int x, y; }; const struct { struct p a, b; int c; } s "
    "= {.b = {.y = 1}, .c = 2};",
    "path": "struct p { int x, y; }; const struct { struct p a[2]; } s "
    "= {.a[1].y = 1, .a[0] = {.x = 2}};",
    "union": "const union { int i; double d; } u = {.d = 1.5};",
    "union in parts": "const union { int i; struct { short a, b; } s; char c[4]; } u "
    "= {.s.b = 2, .s.a = 1}, v = {.i = 7, .c[1] = 1, .c[0] = 3};",
    "array": "const int t[] = {[2] = 5, 6, [0] = 1};",
    "range": "const int t[4] = {[1 ... 2] = 7};",
    "override": "const int t[2] = {[0] = 1, [0] = 2, [1] = 3};",
    "nameless": "const struct { int n; struct { int a; union { int b; long c; }; }; } s "
    "= {.b = 1, .n = 2};",
    "bitfield": "const struct { unsigned a : 3, : 2, b : 4; } s = {.b = 1, .a = 2};",
    "statement": "int f(int a) { union { int i; struct { int b, c; }; } u = {.c = a}; "
    "return u.b; }",
    "function pointer": "int g(int); const struct { int n; int (*call)(int); } s = {.call = g};",
}
REFUSED = [
    Refused(
        "struct s { int a[2]; int b; };\nconst struct s s = {⟦1⟧, 2, .b = 3};",
        "braces are left out",
    ),
    Refused(
        "struct i { int a, b; }; struct s { struct i i; };\nextern const struct i k;\n"
        "void f(void) { struct s s = {.i = k, .i.b = ⟦3⟧}; }",
        "reaches into an item set before",
    ),
    Refused("const char a[70000] = ⟦{[69999] = 1}⟧;", "list of 70000 items"),
    Refused(
        "const union { int a; struct { int b, c; }; } u = ⟦{.c = 1}⟧;",
        "something without a name inside a union",
    ),
    Refused(
        "const struct { int n; union { int b; long c; }; } u = ⟦{.c = 1}⟧;",
        "something without a name inside a union",
    ),
    Refused(
        "int g(void);\nvoid f(void) { int a[4] = {[0 ... 2] = ⟦g()⟧}; }", "effects for a range"
    ),
]
MEETS = {
    "jumps": "union U { int a; struct { int b, c; }; }; int f(int a) "
    "{ if (a) goto out; union U u = {.c = 1}; a = u.c; out: return a; }",
}
