"""Cases of the rule sizes."""

from __future__ import annotations

from ..case import Refused

SNIPPETS = {
    "kinds": "unsigned long f(int a, char c) "
    "{ return sizeof 'a' + sizeof(!a) + sizeof(a ? c : c) + sizeof(c); }",
}
REFUSED = [
    Refused("char a[3];\nint f(void) { return sizeof(⟦0, a⟧); }", "with a comma"),
]
