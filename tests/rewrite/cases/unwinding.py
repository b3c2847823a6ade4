"""Cases of the rule unwinding."""

from __future__ import annotations

from ..case import CALLS, POLL, SETJMP, Refused

SNIPPETS = {
    "tail": "int (*p)(int); int f(int a) { return p(a); } void g(int a) { a++; p(a); }",
    "no tail": "int (*p)(int); int f(int a) { return p(a) ?: 2; }",
    "tail cast": "void *(*p)(void); long f(void) { return (long)p(); }",
    "struct": "struct s { int a; }; struct s (*p)(void); struct s f(void) { return p(); } "
    "int g(void) { return p().a; }",
    "double": "double (*p)(void); double f(void) { return p() * 2; }",
    "void": "void (*p)(void); int f(int a) { if (a) p(); for (p(); a; p()) { a--; } return a; }",
    "never": "_Noreturn void die(int); int f(int a) { if (a) { die(a); } return 1; }",
    "cannot": "int g(int); int f(int a) { return g(a) + 1; }",
    "landing": "typedef struct { long mark; } jmp_buf[1]; int setjmp(jmp_buf b); "
    "int (*p)(void); int f(void) { jmp_buf b; if (setjmp(b) == 0) { return p(); } return 2; }",
    "static once": "static int g(void); int (*p)(void); int f(void) { return g() + 1; } "
    "int g(void) { return p() + 1; }",
    "count": "int n; void (*p)(void); void f(void) { n++; p(); n--; }",
    "helpers": "int n; void up(void) { n += 2; } void down(void) { n -= 2; } int (*p)(void); "
    "int f(void) { up(); int a = p() + 1; down(); return a; }",
    "saved": "void *now; void *get(void) { return now; } void set(void *n) { now = n; } "
    "void (*p)(void); void f(void *n) { void *old = get(); set(n); p(); set(old); p(); }",
    "closer": "int bits; void (*p)(void); void f(void) { p(); bits &= ~1; }",
    "nested pairs": "int n, m; void (*p)(void); "
    "void f(void) { n++; p(); m++; p(); m--; p(); n--; }",
    "pair at a landing": "typedef struct { long mark; } jmp_buf[1]; int setjmp(jmp_buf b); "
    "int n, m; void (*p)(void); int f(void) { jmp_buf b; n++; "
    "if (setjmp(b) == 0) { m++; p(); m--; } n--; return 2; }",
    "flag": "int busy; void (*p)(void); void f(void) { busy = 1; p(); busy = 0; }",
    "moving": "typedef struct { long mark; } jmp_buf[1]; int setjmp(jmp_buf b); "
    "void (*p)(void); int f(jmp_buf *b) { if (setjmp(*b)) { return 1; } b++; p(); return 0; }",
}
REFUSED = [
    Refused(
        SETJMP + "int f(void) { jmp_buf b; return ⟦g(setjmp(b))⟧; }", "setjmp inside this construct"
    ),
    Refused(SETJMP + "int f(void) { jmp_buf b; ⟦return setjmp(b)⟧; }", "inside this"),
    Refused(
        SETJMP + "int f(void) { jmp_buf b; int n = ⟦setjmp(b) ? 1 : 2⟧; return n; }",
        "setjmp inside this construct",
    ),
    Refused(
        SETJMP + "int f(int a) { jmp_buf b; if (⟦g(a) && setjmp(b)⟧) { return 1; } return 0; }",
        "setjmp inside an expression",
    ),
    Refused(
        SETJMP + "int f(int *a) { jmp_buf b; ⟦*a++ = setjmp(b)⟧; return 0; }",
        "setjmp inside an expression",
    ),
    Refused(
        SETJMP + "int f(int a) { jmp_buf b; ⟦if (a) a = setjmp(b)⟧; return a; }",
        "in a branch without braces",
    ),
    Refused(
        SETJMP + "int f(int a) { jmp_buf b; ⟦int n = g(a), c = setjmp(b);⟧ return n + c; }",
        "beside other declarators",
    ),
    Refused(
        SETJMP + "jmp_buf *where(void);\nint f(void) { int a = ⟦setjmp(*where())⟧; return a; }",
        "a call in the argument of setjmp",
    ),
    Refused(
        SETJMP + "int f(int a) { jmp_buf b; if (a) { if (setjmp(b)) { return 1; } } "
        "else { if (setjmp(b)) { return 2; } } return ⟦p()⟧ + 1; }",
        "two setjmp calls of one buffer",
    ),
    Refused(
        "struct s { int a[2]; };\nstruct s (*p)(void);\nint f(void) { return *⟦p().a⟧; }",
        "an array in the result of a call",
    ),
]
MEETS = {
    "polls": POLL + "int (*p)(int); int f(int *a, int n) "
    "{ for (int i = 0; i < n; i++) if (a[i] && p(n)) return 1; return 0; }",
    "keywords": CALLS + "int f(long *new) { if (setjmp(new)) return 1; return p(); }",
    "tentative": CALLS + "static long *const k; "
    "int f(void) { if (setjmp(k)) return 1; return p(); } static long *const k = 0;",
    "state": CALLS + "long *b; int f(void) { if (setjmp(b)) return 1; return p(); }",
    "literals": CALLS + "int f(void) "
    "{ if (*(int[]){1}, setjmp(*(long *[]){0})) return 1; return p() + 1; }",
    "arrays": CALLS + "int f(int n, long *b) "
    "{ while (setjmp(b) == 0) { char s[3]; char t[n]; t[0] = s[0] = 0; p(); } return 1; }",
}
