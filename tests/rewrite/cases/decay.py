"""Cases of the rule decay."""

from __future__ import annotations

SNIPPETS = {
    "member": "struct s { int a[2]; }; const struct s s = {{1, 2}}; "
    "const unsigned char *const p = (const unsigned char *)s.a;",
    "number": "const char t[2] = {1, 2}; const unsigned long n = (unsigned long)t;",
}
MEETS = {
    "keywords": "const int new[1] = {1}; const char *const p = (const char *)new;",
    "tentative": "static const int k[1]; const char *const p = (const char *)k; "
    "static const int k[1] = {1};",
    "state": "int k[1]; char *const p = (char *)k;",
}
