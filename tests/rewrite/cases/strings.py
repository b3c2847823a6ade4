"""Cases of the rule strings."""

from __future__ import annotations

SNIPPETS = {
    "escapes": r'const char s[5] = "a\n\x41\101" "\"";',
    "room": 'const char s[4] = "abc"; const char t[] = "abc";',
    "nested": 'const struct { char a[2]; int n; } s = {"ab", 1};',
    "quote": 'const char s[1] = "\'";',
    "braced": 'struct s { int n; char m[2]; }; const char a[2] = {"ab"}; '
    'const char b[2][2] = {"ab", {"cd"}}; const struct s c = {.n = 1, .m = {"ab"}};',
}
