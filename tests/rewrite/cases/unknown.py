"""Cases of the rule unknown."""

from __future__ import annotations

from ..case import Refused

REFUSED = [
    Refused("int f(int *p) { return ⟦__sync_fetch_and_add⟧(p, 1); }", "the compiler's"),
    Refused("⟦__float128⟧ a;", "a word of the compiler's"),
    Refused("⟦_Float16⟧ a;", "a word of the compiler's"),
    Refused("long double g(void); int f(void) { return (int)⟦g()⟧; }", "computes as a double"),
    Refused("void f(void) ⟦__attribute__((naked))⟧;", "an attribute that no rule knows"),
    Refused("typedef int v ⟦__attribute__((vector_size(16)))⟧;", "an attribute that no rule knows"),
    Refused("double f(void) { return __extension__ (int)⟦1.0i⟧; }", "IMAGINARY_LITERAL"),
    Refused("int f(int a) { return ⟦_Generic⟧(a, int: 1); }", "generic selection"),
    Refused("⟦_Atomic⟧ int a;", "atomic type"),
    Refused("⟦_Complex⟧ double a;", "complex type"),
    Refused("static ⟦__thread⟧ int a;", "variable of a thread"),
    Refused("static ⟦_Thread_local⟧ int a;", "variable of a thread"),
    Refused("int f(void) { ⟦__auto_type⟧ x = 1; return x; }", "the compiler finds"),
    Refused("int f(int a) { ⟦__typeof__⟧(a == 1) b = 2; return b; }", "type of an exp"),
    Refused("int f(int a) { ⟦__label__⟧ x; x: return a; }", "label of a block"),
    Refused("int f(void) { return ⟦__builtin_choose_expr⟧(1, 2, 3); }", "choice between"),
    Refused("void f(void) ⟦__attribute__((constructor))⟧;", "before there is a state"),
    Refused("void f(void) ⟦__attribute__((__destructor__))⟧;", "after there is a state"),
    Refused("int f(int) ⟦__attribute__((noinline, pure))⟧;", "does not raise"),
    Refused("int *f(int) ⟦__attribute__((returns_nonnull))⟧;", "not return null"),
    Refused(
        "void g(int *);\nvoid f(void) { int a ⟦__attribute__((cleanup(g)))⟧ = 1; }",
        "does not run when it unwinds",
    ),
    Refused("int f(void) { void *p = ⟦&&out⟧; goto *p; out: return 1; }", "a label"),
    Refused('void f(void) { ⟦asm("nop")⟧; }', "assembly"),
    Refused("⟦struct empty {}⟧;\nstruct empty e;", "without members"),
    Refused("int f(int ⟦r_⟧) { return r_; }", "a name that the rules use"),
    Refused("int f(int new, int ⟦new_⟧) { return new + new_; }", "the name that new gets"),
]
