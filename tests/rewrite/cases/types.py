"""Cases of the rule types."""

from __future__ import annotations

from ..case import Refused

SNIPPETS = {
    "offsetof": "unsigned long f(void) "
    "{ return __builtin_offsetof(struct { char c; long l; }, l); }",
    "union": "unsigned long f(void) { return sizeof(union { char c[3]; int i; }); }",
}
REFUSED = [
    Refused(
        "int f(void) { return sizeof(⟦struct named { int a; }⟧); }",
        "a type with a name is defined inside an expression",
    ),
]
