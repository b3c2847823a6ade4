"""Cases of the rule cycles."""

from __future__ import annotations

from ..case import Refused

SNIPPETS = {
    "two": "struct s { const struct s *p; int n; }; extern const struct s b; "
    "const struct s a = {&b, 1}; const struct s b = {&a, 2};",
    "nested": "struct s { struct { const void *p; } in[2]; }; const struct s s = {{{0}, {&s}}};",
    "keyword": "struct s { const struct s *this; }; const struct s new = {&new};",
    "tentative": "struct s { const struct s *p; }; static const struct s a; "
    "static const struct s a = {&a};",
    "tentative keyword": "struct s { const struct s *p; }; static const struct s new; "
    "static const struct s new = {&new};",
}
REFUSED = [
    Refused(
        "struct s { const struct s *p; };\ntypedef const struct s k_t;\n⟦k_t k = {&k}⟧;",
        "whose const stands elsewhere",
    ),
    Refused("const void *const k = ⟦&k⟧;", "no braced list"),
    Refused(
        "struct i { const void *p; }; struct s { struct i i; int a; };\n"
        "const struct s k = {⟦&k⟧, 2};",
        "an item without braces",
    ),
]
MEETS = {
    "keywords": "struct T { const void *t; }; extern const struct T new[1]; "
    "const struct T new[1] = {{new}};",
    "tentative": "struct T { const void *t; }; static const struct T k[1]; "
    "static const struct T k[1] = {{k}};",
    "decay": "struct T { const void *t; }; const struct T k[1] = {{k}};",
    "casts": "struct T { char *t; }; const struct T k = {&k};",
    "targets": "struct T { const void *t; }; const struct T k = {&k}; "
    "int g(void); int (*const p)(void) = g;",
    "state": "struct T { const void *t; }; const struct T k = {&k}; "
    "int n; int f(void) { return n; }",
}
