"""Cases of the rule builtins."""

from __future__ import annotations

from ..case import Refused

SNIPPETS = {
    "typed": "int f(long long a, long long *r) { return __builtin_smulll_overflow(a, a, r); }",
    "generic": "int f(unsigned a, long b, short *r) { return __builtin_add_overflow(a, b, r) "
    "|| __builtin_mul_overflow_p(a, b, (char)0); }",
    "bits": "int f(unsigned a) { return __builtin_ctz(a) + __builtin_clzl(a); }",
    "the compiler's": "int f(int a) { return __builtin_expect(a, 0); }",
    "a word in text": 'const char *f(void) { return "__builtin_ctz"; }',
}
REFUSED = [
    Refused("void f(void) { ⟦__builtin_trap⟧(); }", "device code may lack"),
    Refused("void *f(void) { return ⟦__builtin_return_address⟧(0); }", "may lack"),
]
