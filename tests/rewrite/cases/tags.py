"""Cases of the rule tags."""

from __future__ import annotations

from ..case import Refused

SNIPPETS = {
    "deep": "struct a { struct b { struct c { int n; } c; } b; }; struct c k(void);",
    "enumerator": "struct s { enum kind { ONE, TWO } kind; }; int f(void) { return TWO; }",
    "inside": "struct a { struct b { int n; } b; struct b *next; };",
}
REFUSED = [
    Refused(
        "struct { struct inner { int a; } i; } outer;\nint f(void) "
        "{ return sizeof(struct ⟦inner⟧); }",
        "inside a struct without a name",
    ),
]
MEETS = {
    "keywords": "struct A { enum E { new } e; }; int f(void) { return new; }",
}
